#include "bench/cpu/cpu.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"

namespace hindsight::bench {
namespace {

constexpr int kThreads[] = {2, 16};

struct Outcome {
  double rate = 0;  // operations per second
  double bytes = 0, samples = 0;
  double handler_p50_us = 0;
};

double Measure(Target& target, int milliseconds) {
  double operations = 0, seconds = 0;
  const std::string answer = target.Ask("measure " + std::to_string(milliseconds));
  if (std::sscanf(answer.c_str(), "%lf %lf", &operations, &seconds) != 2 || seconds <= 0) {
    throw std::runtime_error("the program said: " + answer);
  }
  return operations / seconds;
}

void Trigger(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_TRIGGER);
  const Measured measured = RunChild(arguments, {});
  if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
}

// The upper end of the 250 ns bucket that contains the median.
double MedianHandlerUs(const std::vector<uint64_t>& histogram) {
  uint64_t all = 0, below = 0;
  for (const uint64_t count : histogram) all += count;
  for (size_t i = 0; i < histogram.size(); ++i) {
    below += histogram[i];
    if (2 * below >= all) return 0.25 * static_cast<double>(i + 1);
  }
  return 0;
}

Outcome Bare(Target& target, const CpuSettings& settings, const std::filesystem::path&) {
  return {.rate = Measure(target, settings.milliseconds)};
}

Outcome Recorder(Target& target, const CpuSettings& settings, const std::filesystem::path& out) {
  const std::string pid = std::to_string(target.pid());
  Trigger({"attach", pid, "--profiler", HINDSIGHT_RECORDER, "--output", out, "--sources",
           "cpu,threads,modules"});
  Outcome outcome{.rate = Measure(target, settings.milliseconds)};
  Trigger({"stop", pid});
  outcome.bytes = static_cast<double>(BytesIn(out));
  std::vector<std::string> recordings;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    recordings.push_back(entry.path());
  }
  analyzer::Result<analyzer::Recording> recording = analyzer::Recording::Open(recordings);
  if (!recording) throw std::runtime_error(recording.error().sentence);
  const auto model = analyzer::BuildModel(*recording, {});
  if (!model) throw std::runtime_error(model.error().sentence);
  const analyzer::CpuProfile& cpu = (*model)->samples.cpu;
  outcome.samples = static_cast<double>(cpu.count);
  outcome.handler_p50_us = MedianHandlerUs(cpu.handler_histogram);
  return outcome;
}

// The tool exits by itself; recording has begun when its file grows.
Outcome DotnetTrace(Target& target, const CpuSettings& settings, const std::filesystem::path& out) {
  const std::filesystem::path file = out / "trace.nettrace";
  const int seconds = settings.milliseconds / 1000 + 3;
  char duration[32];
  std::snprintf(duration, sizeof duration, "00:00:%02d", seconds);
  std::thread tool([&] {
    RunChild({settings.dotnet_trace, "collect", "--process-id", std::to_string(target.pid()),
              "--output", file, "--duration", duration},
             {});
  });
  std::error_code ignored;
  for (int wait = 0; wait < 200 && (!std::filesystem::exists(file, ignored) ||
                                    std::filesystem::file_size(file, ignored) == 0);
       ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  Outcome outcome{.rate = Measure(target, settings.milliseconds)};
  tool.join();
  outcome.bytes = static_cast<double>(std::filesystem::file_size(file, ignored));
  return outcome;
}

struct Way {
  const char* name;
  Outcome (*measure)(Target&, const CpuSettings&, const std::filesystem::path&);
};
constexpr Way kWays[] = {{"bare", Bare}, {"recorder", Recorder}, {"dotnet-trace", DotnetTrace}};

using Outcomes = std::map<std::string, std::vector<Outcome>>;

// Each round's throughput as a share of the bare one's.
std::string Shares(const Outcomes& measured, const char* way) {
  const auto found = measured.find(way);
  if (found == measured.end()) return "-";
  std::vector<double> shares;
  for (size_t i = 0; i < found->second.size(); ++i) {
    shares.push_back(found->second[i].rate / measured.at("bare")[i].rate);
  }
  return Summary(shares, 3);
}

void Print(int threads, const Outcomes& measured) {
  std::vector<double> rates, bytes, handlers;
  for (const Outcome& outcome : measured.at("bare")) rates.push_back(outcome.rate);
  for (const Outcome& outcome : measured.at("recorder")) {
    if (outcome.samples == 0) throw std::runtime_error("the recorder took no samples");
    bytes.push_back(outcome.bytes / outcome.samples);
    handlers.push_back(outcome.handler_p50_us);
  }
  std::printf("%-9d%-22.0f%-26s%-26s%-24s%s\n", threads, Median(rates),
              Shares(measured, "recorder").c_str(), Shares(measured, "dotnet-trace").c_str(),
              Summary(bytes, 1).c_str(), Summary(handlers, 2).c_str());
  std::fflush(stdout);
}

}  // namespace

void MeasureCpu(const CpuSettings& settings) {
  std::printf(
      "CPU-bound threads, %d rounds; shares of the bare throughput: median (smallest to largest)\n"
      "wanted of the recorder: 1.00, and 4 bytes a sample in the long run\n"
      "%-9s%-22s%-26s%-26s%-24s%s\n",
      settings.rounds, "threads", "bare, operations/s", "recorder, 100 Hz", "dotnet-trace collect",
      "bytes a sample", "handler p50, us");
  for (const int threads : kThreads) {
    Target target({HINDSIGHT_DOTNET, HINDSIGHT_BUSY, "--threads", std::to_string(threads)});
    Measure(target, settings.milliseconds);  // let tiered compilation settle
    Outcomes measured;
    for (int round = 1; round <= settings.rounds; ++round) {
      for (const Way& way : kWays) {
        if (way.measure == DotnetTrace && settings.dotnet_trace.empty()) continue;
        std::fprintf(stderr, "%d threads, round %d of %d: %s\n", threads, round, settings.rounds,
                     way.name);
        const Scratch scratch;
        measured[way.name].push_back(way.measure(target, settings, scratch.path()));
      }
    }
    Print(threads, measured);
  }
}

}  // namespace hindsight::bench
