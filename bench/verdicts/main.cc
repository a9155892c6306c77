// hindsight-bench-verdicts: whether the analyzer names the actual problem first. Runs samples/Shop
// with one problem after another, records it in each way, and compares what `hindsight` reports
// with samples/Shop/truth.json.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "bench/driver/scratch.h"
#include "bench/verdicts/recordings.h"
#include "bench/verdicts/truth.h"
#include "bench/verdicts/verdict.h"

namespace hindsight::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> problems;  // empty: all
  std::vector<std::string> ways = {"start", "attach", "snapshot", "series", "diff"};
  std::vector<std::string> loads = {"quiet"};
  int rounds = 1;
  int seconds = 12;
  bool is_short = false;
  bool is_strict = false;
  fs::path keep;   // where to keep recordings
  fs::path judge;  // where existing recordings are
};

// The short form: what a change to the rules breaks first, in about two minutes on a quiet machine.
const std::vector<std::string> kShort = {kHealthy, "failing-route", "lock-cycle"};
const std::vector<std::string> kShortWays = {kSeries, kDiff};

class Count {
 public:
  void Add(const Truth& truth, const Verdict& verdict) {
    using Kind = Verdict::Kind;
    wrong_ += verdict.wrong.size();
    failed_ += verdict.kind == Kind::kFailed ? 1 : 0;
    if (truth.signals.empty()) return;
    if (verdict.kind == Kind::kCannot) {
      ++cannot_;
      return;
    }
    ++all_;
    if (verdict.place != 0) ++told_;
    if (verdict.place == 1) ++first_;
    if (verdict.place == 1 || verdict.place == 2) ++soon_;
  }
  bool IsPerfect() const { return told_ == all_ && wrong_ == 0 && failed_ == 0; }
  void Print(const char* what) const {
    const auto share = [](size_t part, size_t whole) {
      return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::printf("%-24s%4zu of %-4zu %5.0f %%   %5.0f %%   %5.0f %%   %5.0f %%   %5zu\n", what,
                told_, all_, share(told_, all_), share(first_, all_), share(soon_, all_),
                share(told_, told_ + wrong_), wrong_);
  }

 private:
  size_t all_ = 0, told_ = 0, first_ = 0, soon_ = 0, wrong_ = 0, cannot_ = 0, failed_ = 0;
};

void PrintVerdict(const Truth& truth, const std::string& way, const Verdict& verdict) {
  std::printf("%-20s %-9s %-18s %-24s", truth.problem.c_str(), way.c_str(),
              truth.signals.empty() ? "-" : NameOf(verdict).c_str(), verdict.command.c_str());
  if (!verdict.wrong.empty()) std::printf("%zu false", verdict.wrong.size());
  std::printf("\n");
  for (const std::string& line : verdict.told) std::printf("      says   %.260s\n", line.c_str());
  for (const std::string& line : verdict.wrong) std::printf("      FALSE  %.260s\n", line.c_str());
  std::fflush(stdout);
}

std::vector<Truth> Chosen(const Settings& settings) {
  std::vector<Truth> all = ReadTruths(HINDSIGHT_SHOP_TRUTH);
  const std::vector<std::string>& names =
      settings.is_short && settings.problems.empty() ? kShort : settings.problems;
  for (const std::string& name : names) {
    if (std::none_of(all.begin(), all.end(), [&](auto& one) { return one.problem == name; })) {
      throw std::runtime_error(name + ": no such problem; `Shop --list` has all");
    }
  }
  std::erase_if(all, [&](const Truth& truth) {
    return !names.empty() && std::find(names.begin(), names.end(), truth.problem) == names.end();
  });
  return all;
}

std::vector<std::string> RecordedWays(const Settings& settings) {
  std::vector<std::string> ways;
  for (const std::string& way : kRecordedWays) {
    const auto wants = [&](const std::string& one) {
      return std::find(settings.ways.begin(), settings.ways.end(), one) != settings.ways.end();
    };
    if (wants(way) || (way == kSeries && wants(kDiff))) ways.push_back(way);
  }
  return ways;
}

int Run(const Settings& settings) {
  const Scratch scratch;
  const bool is_recorded = !settings.judge.empty();
  const fs::path root = is_recorded             ? settings.judge
                        : settings.keep.empty() ? scratch.path()
                                                : settings.keep;
  std::map<std::string, Count> counts;
  Count total;
  bool is_whole = true;
  for (int round = 1; round <= settings.rounds; ++round) {
    for (const std::string& load : settings.loads) {
      const fs::path folder = root / (load + "-" + std::to_string(round));
      for (const Truth& truth : Chosen(settings)) {
        const fs::path runs = folder / truth.problem;
        if (is_recorded && !fs::exists(runs)) continue;
        if (!is_recorded) {
          std::fprintf(stderr, "round %d of %d, %s: %s\n", round, settings.rounds, load.c_str(),
                       truth.problem.c_str());
          try {
            RecordShop(truth.problem,
                       {.ways = RecordedWays(settings),
                        .seconds = settings.seconds,
                        .loaded = load == "loaded"},
                       runs);
          } catch (const std::exception& error) {  // the others can still be run
            std::printf("%-20s not recorded: %s\n", truth.problem.c_str(), error.what());
            is_whole = false;
          }
        }
        for (const std::string& way : settings.ways) {
          Verdict verdict;
          const fs::path recording = RecordingIn(runs / (way == kDiff ? kSeries : way));
          if (recording.empty()) {
            is_whole = is_whole && is_recorded;
            continue;
          }
          if (way == kDiff) {
            const fs::path healthy = RecordingIn(folder / kHealthy / kSeries);
            if (truth.problem == kHealthy || healthy.empty()) continue;
            verdict = JudgeDiff(truth, healthy, recording);
          } else {
            verdict = JudgeSummary(truth, way, recording);
          }
          PrintVerdict(truth, way, verdict);
          counts[way].Add(truth, verdict);
          total.Add(truth, verdict);
        }
        if (!is_recorded && settings.keep.empty() && truth.problem != kHealthy) {
          fs::remove_all(runs);
        }
      }
    }
  }
  std::printf("\n%-24s%-12s %7s   %7s   %7s   %9s   %5s\n", "way", "told", "recall", "first",
              "first two", "precision", "false");
  for (const auto& [way, count] : counts) count.Print(way.c_str());
  total.Print("all");
  return settings.is_strict && !(is_whole && total.IsPerfect()) ? 1 : 0;
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  hindsight::bench::Settings settings;
  CLI::App app("hindsight-bench-verdicts: whether the analyzer says first what is wrong");
  app.add_option("--problem", settings.problems,
                 "names, as `Shop --list` and `healthy`; default: all")
      ->delimiter(',');
  app.add_option("--way", settings.ways, "start, attach, snapshot, series, diff")
      ->delimiter(',')
      ->check(CLI::IsMember({"start", "attach", "snapshot", "series", "diff"}))
      ->capture_default_str();
  app.add_option("--load", settings.loads, "quiet, or loaded: somebody else has all cores")
      ->delimiter(',')
      ->check(CLI::IsMember({"quiet", "loaded"}))
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds)->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of a recording that is attached")
      ->capture_default_str();
  app.add_flag("--short", settings.is_short,
               "the healthy shop and two problems, as series and diff");
  app.add_flag("--strict", settings.is_strict, "exit code 1 if something is missed or false");
  app.add_option("--keep", settings.keep, "folder that the recordings stay in");
  app.add_option("--judge", settings.judge, "record nothing: what --keep has left is judged again");
  CLI11_PARSE(app, argc, argv);
  if (settings.is_short && app.count("--way") == 0) settings.ways = hindsight::bench::kShortWays;
  try {
    return hindsight::bench::Run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight-bench-verdicts: %s\n", error.what());
    return 1;
  }
}
