#include "bench/requests/requests.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/driver/child.h"
#include "bench/driver/event_pipe_session.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"

namespace hindsight::bench {
namespace {

struct Outcome {
  double rate = 0;    // requests per second
  double cpu_us = 0;  // of the process, per request, including its client's
};

Outcome Measure(Target& target, int milliseconds) {
  double requests = 0, seconds = 0, cpu_seconds = 0;
  const std::string answer = target.Ask(std::to_string(milliseconds));
  if (std::sscanf(answer.c_str(), "%lf %lf %lf", &requests, &seconds, &cpu_seconds) != 3 ||
      requests <= 0 || seconds <= 0) {
    throw std::runtime_error("the program said: " + answer);
  }
  return {.rate = requests / seconds, .cpu_us = cpu_seconds * 1e6 / requests};
}

void Trigger(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_TRIGGER);
  const Measured measured = RunChild(arguments, {});
  if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
}

// `first_milliseconds`: of load before the measurement.
Outcome Recorded(Target& target, int milliseconds, std::vector<std::string> options,
                 int first_milliseconds = 0) {
  const Scratch scratch;
  const std::string pid = std::to_string(target.pid());
  std::vector<std::string> attach = {"attach",           pid,        "--profiler",
                                     HINDSIGHT_RECORDER, "--output", scratch.path()};
  attach.insert(attach.end(), options.begin(), options.end());
  Trigger(std::move(attach));
  // First events of each kind.
  Measure(target, std::max(first_milliseconds, milliseconds / 4));
  const Outcome outcome = Measure(target, milliseconds);
  Trigger({"stop", pid});
  return outcome;
}

Outcome Bare(Target& target, int milliseconds) {
  Measure(target, milliseconds / 4);
  return Measure(target, milliseconds);
}

Outcome RequestsOnly(Target& target, int milliseconds) {
  return Recorded(target, milliseconds, {"--sources", "requests"});
}

// The session for routes begins a second or two after the attach.
Outcome WithRoutes(Target& target, int milliseconds) {
  constexpr int kUntilRoutes = 3000;
  return Recorded(target, milliseconds, {"--sources", "requests", "--set", "requests.routes=on"},
                  kUntilRoutes);
}

// Likewise.
Outcome WithDetails(Target& target, int milliseconds) {
  constexpr int kUntilDetails = 3000;
  return Recorded(target, milliseconds, {"--sources", "requests", "--set", "requests.details=on"},
                  kUntilDetails);
}

Outcome DefaultSources(Target& target, int milliseconds) {
  return Recorded(target, milliseconds, {});
}

Outcome EventPipe(Target& target, int milliseconds) {
  const Scratch scratch;
  EventPipeSession session(target.pid(),
                           {.keywords = ~uint64_t{0}, .provider = "Microsoft.AspNetCore.Hosting"},
                           scratch.path() / "nettrace");
  std::thread reader([&] {
    while (!session.has_ended()) session.Step();
  });
  Measure(target, milliseconds / 4);
  const Outcome outcome = Measure(target, milliseconds);
  session.AskToStop();
  reader.join();
  return outcome;
}

struct Way {
  const char* name;
  Outcome (*measure)(Target&, int milliseconds);
};
constexpr Way kWays[] = {{"bare", Bare},
                         {"source requests", RequestsOnly},
                         {"requests and routes", WithRoutes},
                         {"requests and details", WithDetails},
                         {"default sources", DefaultSources},
                         {"EventPipe session", EventPipe}};

// Each round's value as a share of the bare one's.
std::string Shares(const std::vector<Outcome>& outcomes, const std::vector<Outcome>& bare,
                   double Outcome::*value) {
  std::vector<double> shares;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    shares.push_back(outcomes[i].*value / (bare[i].*value));
  }
  return Summary(shares, 3);
}

std::vector<double> Values(const std::vector<Outcome>& outcomes, double Outcome::*value) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(outcome.*value);
  return values;
}

}  // namespace

void MeasureRequests(const RequestSettings& settings) {
  Target target({HINDSIGHT_DOTNET, HINDSIGHT_WEB_SHOP, "--measure"});
  Measure(target, 2 * settings.milliseconds);  // let tiered compilation settle
  std::map<std::string, std::vector<Outcome>> measured;
  for (int round = 1; round <= settings.rounds; ++round) {
    for (const Way& way : kWays) {
      std::fprintf(stderr, "round %d of %d: %s\n", round, settings.rounds, way.name);
      measured[way.name].push_back(way.measure(target, settings.milliseconds));
    }
  }
  const std::vector<Outcome>& bare = measured.at("bare");
  std::printf(
      "ASP.NET Core, 4 clients in the process, %d rounds: median (smallest to largest)\n"
      "bare: %s requests/s, %s us of CPU time each, client and server\n"
      "%-22s%-28s%s\n",
      settings.rounds, Summary(Values(bare, &Outcome::rate), 0).c_str(),
      Summary(Values(bare, &Outcome::cpu_us), 1).c_str(), "share of the bare", "requests/s",
      "CPU time a request");
  for (const Way& way : kWays) {
    if (way.measure == Bare) continue;
    const std::vector<Outcome>& outcomes = measured.at(way.name);
    std::printf("%-22s%-28s%s\n", way.name, Shares(outcomes, bare, &Outcome::rate).c_str(),
                Shares(outcomes, bare, &Outcome::cpu_us).c_str());
  }
}

}  // namespace hindsight::bench
