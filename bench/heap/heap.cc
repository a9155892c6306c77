#include "bench/heap/heap.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "analyzer/model/heap_graph.h"
#include "analyzer/reader/heap_reader.h"
#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"
#include "bench/heap/event_pipe.h"

namespace hindsight::bench {
namespace {

using analyzer::HeapFacts;

// The other methods stop at ten million objects, because they take too long.
constexpr int kMostMillionsForAll = 10;

// The longest time since the last query in which BigHeap's ticker did not run.
double TakeLargestGapMs(Target& target) {
  const std::string answer = target.Ask("gap");
  if (!answer.starts_with("gap ")) throw std::runtime_error("BigHeap said: " + answer);
  return std::atof(answer.c_str() + 4);
}

struct Outcome {
  double seconds = 0;
  uint64_t bytes = 0;
  double pause_ms = 0;  // as stated in the recording; 0: it has none
};

struct Way {
  const char* name;
  std::function<Outcome(const Target&, const std::filesystem::path&)> take;
  bool is_ours = false;
};

// What the recording says about its one snapshot, which must be complete and taken as requested.
HeapFacts Facts(const std::filesystem::path& folder, HeapFacts::Method method, uint64_t objects) {
  const std::string path = folder;
  const auto facts = analyzer::ListHeaps(std::span(&path, 1));
  if (!facts) throw std::runtime_error(facts.error().sentence);
  if (facts->size() != 1) throw std::runtime_error("there is no snapshot in " + path);
  const HeapFacts& one = facts->front();
  if (!one.complete() || one.certified_objects < objects) {
    throw std::runtime_error("the snapshot is not whole: " + one.result_reason);
  }
  const bool is_as_asked = one.method == method || (method == HeapFacts::Method::kFork &&
                                                    one.method == HeapFacts::Method::kForkPassive);
  if (!is_as_asked) throw std::runtime_error("another way was taken: " + one.fallback_reason);
  return one;
}

Outcome Ours(const Target& target, const std::filesystem::path& folder, const std::string& name,
             HeapFacts::Method method, uint64_t objects) {
  const Measured measured = RunChild(
      {HINDSIGHT_TRIGGER, "snapshot", std::to_string(target.pid()), "--profiler",
       HINDSIGHT_RECORDER, "--output", folder, "--timeout", "600", "--set", "heap.method=" + name,
       "--set", "heap.max_pause=5m", "--set", "heap.max_memory=16GiB", "--set", "limit.disk=16GiB"},
      {});
  if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
  const uint64_t bytes = BytesIn(folder);
  std::filesystem::path recording;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) recording = entry.path();
  const HeapFacts facts = Facts(recording, method, objects);
  return {static_cast<double>(measured.wall_ns) / 1e9, bytes,
          static_cast<double>(facts.pause_ns) / 1e6};
}

std::vector<Way> Ways(int millions) {
  const uint64_t objects = static_cast<uint64_t>(millions) * 1'000'000;
  const auto ours = [objects](const char* name, HeapFacts::Method method) {
    return [=](const Target& target, const std::filesystem::path& folder) {
      return Ours(target, folder, name, method, objects);
    };
  };
  std::vector<Way> ways = {{"hindsight", ours("fork", HeapFacts::Method::kFork), true}};
  if (millions > kMostMillionsForAll) return ways;
  ways.push_back({"in the pause", ours("in-pause", HeapFacts::Method::kInPause), true});
  ways.push_back({"callbacks", ours("callbacks", HeapFacts::Method::kCallbacks), true});
  ways.push_back({"EventPipe", [](const Target& target, const std::filesystem::path& folder) {
                    const HeapDump dump = DumpThroughEventPipe(target.pid(), folder / "nettrace");
                    return Outcome{.seconds = dump.seconds, .bytes = dump.bytes};
                  }});
  return ways;
}

struct Series {
  std::string failure;  // why it could not be measured
  std::vector<double> gap_ms, pause_ms, seconds, bytes_per_object;
};

// Compared with the session of the same round: how many times smaller.
std::string Times(const std::vector<double>& ours, const std::vector<double>& session) {
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.size(); ++i) ratios.push_back(session[i] / ours[i]);
  return Summary(ratios, 1);
}

void Print(int millions, const HeapSettings& settings, const std::vector<Way>& ways,
           const std::map<std::string, Series>& measured) {
  std::printf("\n%d million objects, %s, %d rounds: median (smallest to largest)\n", millions,
              settings.shape.c_str(), settings.rounds);
  std::printf("%-14s%-28s%-26s%-22s%-22s%-26s%s\n", "", "largest gap, ms", "pause recorded, ms",
              "wall, s", "bytes an object", "gap, EventPipe / this", "wall, EventPipe / this");
  for (const Way& way : ways) {
    const Series& series = measured.at(way.name);
    if (!series.failure.empty()) {
      std::printf("%-14snot measured: %s\n", way.name, series.failure.c_str());
      continue;
    }
    std::printf("%-14s%-28s%-26s%-22s%-22s", way.name, Summary(series.gap_ms, 1).c_str(),
                way.is_ours ? Summary(series.pause_ms, 1).c_str() : "-",
                Summary(series.seconds, 2).c_str(), Summary(series.bytes_per_object, 2).c_str());
    if (const auto session = measured.find("EventPipe");
        session != measured.end() && session->second.failure.empty() && way.is_ours) {
      std::printf("%-26s%s", Times(series.gap_ms, session->second.gap_ms).c_str(),
                  Times(series.seconds, session->second.seconds).c_str());
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void MeasureSize(int millions, const HeapSettings& settings) {
  Target target({HINDSIGHT_DOTNET, HINDSIGHT_HEAP_SAMPLES, "BigHeap", "--control", "--shape",
                 settings.shape, "--objects", std::to_string(millions) + "000000"});
  const Scratch scratch;
  const std::vector<Way> ways = Ways(millions);
  std::map<std::string, Series> measured;
  for (int round = 1; round <= settings.rounds; ++round) {
    for (const Way& way : ways) {
      Series& series = measured[way.name];
      if (!series.failure.empty()) continue;
      std::fprintf(stderr, "%d million objects, round %d of %d: %s\n", millions, round,
                   settings.rounds, way.name);
      const std::filesystem::path folder = scratch.path() / "out";
      std::filesystem::create_directory(folder);
      TakeLargestGapMs(target);  // resets it
      Outcome outcome;
      try {
        outcome = way.take(target, folder);
      } catch (const std::exception& error) {
        series.failure = error.what();
        std::filesystem::remove_all(folder);
        continue;
      }
      series.gap_ms.push_back(TakeLargestGapMs(target));
      series.pause_ms.push_back(outcome.pause_ms);
      series.seconds.push_back(outcome.seconds);
      series.bytes_per_object.push_back(static_cast<double>(outcome.bytes) / (millions * 1e6));
      std::filesystem::remove_all(folder);
    }
  }
  Print(millions, settings, ways, measured);
}

}  // namespace

void MeasureHeap(const HeapSettings& settings) {
  std::printf("A service of .NET 10 that is idle but for a thread that wakes every millisecond.\n");
  for (const int millions : settings.millions) MeasureSize(millions, settings);
}

}  // namespace hindsight::bench
