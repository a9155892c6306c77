// hindsight-bench-verdicts: whether the analyzer names the actual problem first. Runs samples/Shop
// with one problem after another, records it in each way, and compares what `hindsight` reports
// with samples/Shop/truth.json.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
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
  std::vector<std::string> ways = {"start", kAttach, "snapshot", kSeries, kDiff, kReverse, kEqual};
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
    const size_t place = verdict.kind == Kind::kNote ? 0 : verdict.place;
    if (place != 0) ++reported_;
    if (place == 1) ++first_;
    if (place == 1 || place == 2) ++soon_;
  }
  bool IsPerfect() const { return reported_ == all_ && wrong_ == 0 && failed_ == 0; }
  void Print(const char* what) const {
    const auto share = [](size_t part, size_t whole) {
      return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::printf("%-24s%4zu of %-4zu %5.0f %%   %5.0f %%   %5.0f %%   %5.0f %%   %5zu\n", what,
                reported_, all_, share(reported_, all_), share(first_, all_), share(soon_, all_),
                share(reported_, reported_ + wrong_), wrong_);
  }

 private:
  size_t all_ = 0, reported_ = 0, first_ = 0, soon_ = 0, wrong_ = 0, cannot_ = 0, failed_ = 0;
};

void PrintVerdict(const Truth& truth, const std::string& way, const Verdict& verdict) {
  std::printf("%-20s %-9s %-18s %-24s", truth.problem.c_str(), way.c_str(),
              truth.signals.empty() ? "-" : NameOf(verdict).c_str(), verdict.command.c_str());
  if (!verdict.wrong.empty()) std::printf("%zu false", verdict.wrong.size());
  std::printf("\n");
  for (const std::string& line : verdict.reported) {
    std::printf("      says   %.260s\n", line.c_str());
  }
  for (const std::string& line : verdict.wrong) std::printf("      FALSE  %.260s\n", line.c_str());
  std::fflush(stdout);
}

// Followed by `all`, if that is named.
std::vector<Truth> Chosen(const Settings& settings) {
  std::vector<Truth> all = ReadTruths(HINDSIGHT_SHOP_TRUTH);
  all.push_back({.problem = kAll, .says = "Each problem at once."});
  const std::vector<std::string>& names =
      settings.is_short && settings.problems.empty() ? kShort : settings.problems;
  for (const std::string& name : names) {
    if (std::none_of(all.begin(), all.end(), [&](auto& one) { return one.problem == name; })) {
      throw std::runtime_error(name + ": no such problem; `Shop --list` has all");
    }
  }
  std::erase_if(all, [&](const Truth& truth) {
    if (names.empty()) return truth.problem == kAll;
    return std::find(names.begin(), names.end(), truth.problem) == names.end();
  });
  return all;
}

std::vector<std::string> RecordedWays(const Settings& settings) {
  const auto wants = [&](const std::string& one) {
    return std::find(settings.ways.begin(), settings.ways.end(), one) != settings.ways.end();
  };
  std::vector<std::string> ways;
  for (const std::string& way : kRecordedWays) {
    const bool for_series = wants(kDiff) || wants(kReverse) || wants(kEqual);
    if (wants(way) || (way == kSeries && for_series) || (way == kAttach && wants(kEqual))) {
      ways.push_back(way);
    }
  }
  return ways;
}

// A problem that is present all the time, and neither accumulates nor blocks anything, so that a
// later recording shows the same.
bool IsSteady(const Truth& truth) {
  static const std::set<std::string> kSteady = {"cpu", "allocations", "exceptions", "requests",
                                                "pauses"};
  return std::includes(kSteady.begin(), kSteady.end(), truth.signals.begin(), truth.signals.end());
}

class Runner {
 public:
  explicit Runner(const Settings& settings)
      : settings_(settings), truths_(ReadTruths(HINDSIGHT_SHOP_TRUTH)) {}

  int Run();

 private:
  void Record(const Truth& truth, const std::string& load, const fs::path& runs);
  void Judge(const Truth& truth, const fs::path& folder);
  void JudgeAllOf(const std::string& way, const fs::path& recording);
  // Empty: there is no recording of it, or it is not judged in this way.
  std::optional<Verdict> Ask(const Truth& truth, const std::string& way, const fs::path& folder);
  void Count(const Truth& truth, const std::string& way, const Verdict& verdict) {
    counts_[way].Add(truth, verdict);
    total_.Add(truth, verdict);
  }

  const Settings& settings_;
  const std::vector<Truth> truths_;
  std::map<std::string, bench::Count> counts_;
  bench::Count total_;
  bool is_whole_ = true;
};

void Runner::Record(const Truth& truth, const std::string& load, const fs::path& runs) {
  try {
    RecordShop(
        truth.problem,
        {.ways = RecordedWays(settings_), .seconds = settings_.seconds, .loaded = load == "loaded"},
        runs);
  } catch (const std::exception& error) {  // the others can still be run
    std::printf("%-20s not recorded: %s\n", truth.problem.c_str(), error.what());
    is_whole_ = false;
  }
}

std::optional<Verdict> Runner::Ask(const Truth& truth, const std::string& way,
                                   const fs::path& folder) {
  const fs::path runs = folder / truth.problem;
  const fs::path series = RecordingIn(runs / kSeries);
  if (way == kEqual) {
    const fs::path attached = RecordingIn(runs / kAttach);
    if (series.empty() || attached.empty() || !IsSteady(truth)) return std::nullopt;
    return JudgePair(attached, series);
  }
  if (way == kDiff || way == kReverse) {
    const fs::path healthy = RecordingIn(folder / kHealthy / kSeries);
    if (truth.problem == kHealthy || healthy.empty() || series.empty()) return std::nullopt;
    return JudgeDiff(truth, way, healthy, series);
  }
  const fs::path recording = RecordingIn(runs / way);
  if (recording.empty()) {
    is_whole_ = is_whole_ && !settings_.judge.empty();
    return std::nullopt;
  }
  return JudgeSummary(truth, way, recording);
}

// Judges each truth by itself, in one recording.
void Runner::JudgeAllOf(const std::string& way, const fs::path& recording) {
  const AllVerdicts all = JudgeAll(truths_, way, recording);
  for (size_t i = 0; i < truths_.size(); ++i) {
    Verdict verdict = all.verdicts[i];
    verdict.wrong.clear();  // it may be another one's truth
    verdict.reported.clear();
    if (truths_[i].signals.empty()) continue;
    PrintVerdict(truths_[i], std::string(kAll) + "/" + way, verdict);
    Count(truths_[i], kAll, verdict);
  }
  Verdict rest;
  rest.wrong = all.wrong;
  PrintVerdict({.problem = kAll}, way, rest);
  Count({.problem = kAll}, kAll, rest);
}

void Runner::Judge(const Truth& truth, const fs::path& folder) {
  for (const std::string& way : settings_.ways) {
    if (truth.problem == kAll) {
      const fs::path recording = RecordingIn(folder / kAll / way);
      if (!recording.empty()) JudgeAllOf(way, recording);
      continue;
    }
    const std::optional<Verdict> verdict = Ask(truth, way, folder);
    if (!verdict) continue;
    PrintVerdict(truth, way, *verdict);
    Count(truth, way, *verdict);
  }
}

int Runner::Run() {
  const Scratch scratch;
  const bool is_recorded = !settings_.judge.empty();
  const fs::path root = is_recorded              ? settings_.judge
                        : settings_.keep.empty() ? scratch.path()
                                                 : settings_.keep;
  for (int round = 1; round <= settings_.rounds; ++round) {
    for (const std::string& load : settings_.loads) {
      const fs::path folder = root / (load + "-" + std::to_string(round));
      for (const Truth& truth : Chosen(settings_)) {
        const fs::path runs = folder / truth.problem;
        if (is_recorded && !fs::exists(runs)) continue;
        if (!is_recorded) {
          std::fprintf(stderr, "round %d of %d, %s: %s\n", round, settings_.rounds, load.c_str(),
                       truth.problem.c_str());
          Record(truth, load, runs);
        }
        Judge(truth, folder);
        if (!is_recorded && settings_.keep.empty() && truth.problem != kHealthy) {
          fs::remove_all(runs);
        }
      }
    }
  }
  std::printf("\n%-24s%-12s %7s   %7s   %7s   %9s   %5s\n", "way", "told", "recall", "first",
              "first two", "precision", "false");
  for (const auto& [way, count] : counts_) count.Print(way.c_str());
  total_.Print("all of them");
  return settings_.is_strict && !(is_whole_ && total_.IsPerfect()) ? 1 : 0;
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  hindsight::bench::Settings settings;
  CLI::App app("hindsight-bench-verdicts: whether the analyzer says first what is wrong");
  app.add_option("--problem", settings.problems,
                 "names, as `Shop --list`, `healthy`, and `all` for each at once; default: one "
                 "after the other")
      ->delimiter(',');
  app.add_option("--way", settings.ways, "start, attach, snapshot, series, diff, reverse, equal")
      ->delimiter(',')
      ->check(CLI::IsMember({"start", "attach", "snapshot", "series", "diff", "reverse", "equal"}))
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
    return hindsight::bench::Runner(settings).Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight-bench-verdicts: %s\n", error.what());
    return 1;
  }
}
