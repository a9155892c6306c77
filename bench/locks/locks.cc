#include "bench/locks/locks.h"

#include <time.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/event_pipe_session.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"

namespace hindsight::bench {
namespace {

constexpr uint64_t kContentionKeyword = 0x4000;

struct Workload {
  const char* name;
  std::vector<std::string> arguments;
};

const Workload kWorkloads[] = {
    {"few contentions", {"--work", "5000"}},
    {"many contentions", {"--work", "0"}},
};

struct Rate {
  double operations = 0, contentions = 0;  // per second
  double cpu_ns = 0;                       // of the process, per operation
};

double CpuNs(pid_t pid) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    throw std::runtime_error("the program's CPU time cannot be read");
  }
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

Rate Measure(Target& target, int milliseconds) {
  double operations = 0, contentions = 0, seconds = 0;
  const double cpu_ns = CpuNs(target.pid());
  const std::string answer = target.Ask("measure " + std::to_string(milliseconds));
  if (std::sscanf(answer.c_str(), "%lf %lf %lf", &operations, &contentions, &seconds) != 3 ||
      seconds <= 0) {
    throw std::runtime_error("the program said: " + answer);
  }
  return {operations / seconds, contentions / seconds, (CpuNs(target.pid()) - cpu_ns) / operations};
}

void Trigger(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_TRIGGER);
  const Measured measured = RunChild(arguments, {});
  if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
}

struct Outcome {
  Rate rate;
  uint64_t bytes = 0;
};

Outcome Bare(Target& target, const LockSettings& settings, const std::filesystem::path&) {
  return {Measure(target, settings.milliseconds), 0};
}

Outcome Recorder(Target& target, const LockSettings& settings, const std::filesystem::path& out) {
  const std::string pid = std::to_string(target.pid());
  Trigger({"attach", pid, "--profiler", HINDSIGHT_RECORDER, "--output", out, "--set",
           "limit.disk=16GiB"});
  Measure(target, settings.milliseconds / 3);  // the session starts, stacks are learned
  const Rate rate = Measure(target, settings.milliseconds);
  Trigger({"stop", pid});
  return {rate, BytesIn(out)};
}

Outcome EventPipe(Target& target, const LockSettings& settings, const std::filesystem::path& out) {
  EventPipeSession session(target.pid(), {.keywords = kContentionKeyword}, out / "nettrace");
  std::thread reader([&] {
    while (!session.has_ended()) session.Step();
  });
  Measure(target, settings.milliseconds / 3);
  const Rate rate = Measure(target, settings.milliseconds);
  session.AskToStop();
  reader.join();
  return {rate, session.bytes()};
}

struct Way {
  const char* name;
  Outcome (*measure)(Target&, const LockSettings&, const std::filesystem::path&);
};
constexpr Way kWays[] = {{"bare", Bare}, {"recorder", Recorder}, {"EventPipe", EventPipe}};

using Rates = std::map<std::string, std::vector<Rate>>;

// Each round's figure as a share of the bare one's.
std::string Shares(const Rates& measured, const char* way, double Rate::*figure) {
  std::vector<double> result;
  const std::vector<Rate>& rates = measured.at(way);
  for (size_t i = 0; i < rates.size(); ++i) {
    result.push_back(rates[i].*figure / (measured.at("bare")[i].*figure));
  }
  return Summary(result, 3);
}

double MedianOf(const std::vector<Rate>& rates, double Rate::*figure) {
  std::vector<double> values;
  for (const Rate& rate : rates) values.push_back(rate.*figure);
  return Median(values);
}

// How threads pass a lock on depends on chance, and so does the throughput; the cost of an
// operation does not.
void Print(const Workload& workload, const Rates& measured) {
  const std::vector<Rate>& bare = measured.at("bare");
  std::printf("%s: %.0f operations/s, %.0f contentions/s, %.0f ns CPU an operation\n",
              workload.name, MedianOf(bare, &Rate::operations), MedianOf(bare, &Rate::contentions),
              MedianOf(bare, &Rate::cpu_ns));
  constexpr std::pair<const char*, double Rate::*> kFigures[] = {
      {"throughput", &Rate::operations}, {"CPU an operation", &Rate::cpu_ns}};
  for (const auto& [name, figure] : kFigures) {
    std::printf("  %-18s%-26s%-26s\n", name, Shares(measured, "recorder", figure).c_str(),
                Shares(measured, "EventPipe", figure).c_str());
  }
  std::fflush(stdout);
}

}  // namespace

void MeasureLocks(const LockSettings& settings) {
  std::printf(
      "waits for locks, %d rounds; shares of the bare figure: median (smallest to largest)\n"
      "  %-18s%-26s%-26s\n",
      settings.rounds, "", "recorder", "EventPipe");
  for (const Workload& workload : kWorkloads) {
    std::vector<std::string> command = {HINDSIGHT_DOTNET, HINDSIGHT_CONTENTION};
    command.insert(command.end(), workload.arguments.begin(), workload.arguments.end());
    Target target(command);
    Measure(target, settings.milliseconds);  // let tiered compilation settle
    Rates measured;
    for (int round = 1; round <= settings.rounds; ++round) {
      for (const Way& way : kWays) {
        std::fprintf(stderr, "%s, round %d of %d: %s\n", workload.name, round, settings.rounds,
                     way.name);
        const Scratch scratch;
        measured[way.name].push_back(way.measure(target, settings, scratch.path()).rate);
      }
    }
    Print(workload, measured);
  }
}

}  // namespace hindsight::bench
