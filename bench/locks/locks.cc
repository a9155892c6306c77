#include "bench/locks/locks.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
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
  double operations = 0, contentions = 0;  // a second
};

Rate Measure(Target& target, int milliseconds) {
  double operations = 0, contentions = 0, seconds = 0;
  const std::string answer = target.Ask("measure " + std::to_string(milliseconds));
  if (std::sscanf(answer.c_str(), "%lf %lf %lf", &operations, &contentions, &seconds) != 3 ||
      seconds <= 0) {
    throw std::runtime_error("the program said: " + answer);
  }
  return {operations / seconds, contentions / seconds};
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

void Print(const Workload& workload, const std::map<std::string, std::vector<Rate>>& measured) {
  std::vector<double> operations, contentions;
  for (const Rate& rate : measured.at("bare")) {
    operations.push_back(rate.operations);
    contentions.push_back(rate.contentions);
  }
  const auto shares = [&](const char* name) {
    std::vector<double> result;
    const std::vector<Rate>& rates = measured.at(name);
    for (size_t i = 0; i < rates.size(); ++i) {
      result.push_back(rates[i].operations / measured.at("bare")[i].operations);
    }
    return result;
  };
  std::printf("%-18s%-16.0f%-18.0f%-24s%-24s\n", workload.name, Median(operations),
              Median(contentions), Summary(shares("recorder"), 3).c_str(),
              Summary(shares("EventPipe"), 3).c_str());
  std::fflush(stdout);
}

}  // namespace

void MeasureLocks(const LockSettings& settings) {
  std::printf(
      "waits for locks, %d rounds; share of the bare throughput: median (smallest to "
      "largest)\n%-18s%-16s%-18s%-24s%-24s\n",
      settings.rounds, "", "operations/s", "contentions/s", "recorder", "EventPipe");
  for (const Workload& workload : kWorkloads) {
    std::vector<std::string> command = {HINDSIGHT_DOTNET, HINDSIGHT_CONTENTION};
    command.insert(command.end(), workload.arguments.begin(), workload.arguments.end());
    Target target(command);
    Measure(target, settings.milliseconds);  // the JIT's tiers settle
    std::map<std::string, std::vector<Rate>> measured;
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
