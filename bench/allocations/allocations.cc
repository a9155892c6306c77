#include "bench/allocations/allocations.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/driver/attached.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"

namespace hindsight::bench {
namespace {

struct Outcome {
  double rate = 0;      // objects per second
  double cpu_rate = 0;  // objects per second of the thread's CPU time
};

Outcome Measure(Target& target, int milliseconds) {
  double objects = 0, seconds = 0;
  const std::string answer = target.Ask(std::to_string(milliseconds));
  if (std::sscanf(answer.c_str(), "%lf %lf", &objects, &seconds) != 2 || seconds <= 0) {
    throw std::runtime_error("the program said: " + answer);
  }
  return {.rate = objects * 1000 / milliseconds, .cpu_rate = objects / seconds};
}

Outcome Bare(Target& target, int milliseconds) {
  Measure(target, milliseconds / 4);
  return Measure(target, milliseconds);
}

Outcome Recorded(Target& target, int milliseconds, std::vector<std::string> options) {
  const Scratch scratch;
  const Attached attached(target.pid(), scratch.path(), std::move(options));
  return Bare(target, milliseconds);
}

struct Way {
  const char* name;
  std::vector<std::string> options;
};

}  // namespace

void MeasureAllocations(const AllocationSettings& settings) {
  const Way ways[] = {{"source allocations", {"--sources", "allocations,threads"}},
                      {"allocations and heap", {"--sources", "allocations,heap,threads"}},
                      {"source gc", {"--sources", "gc,threads"}}};
  constexpr size_t kWays = std::size(ways);
  Target target({HINDSIGHT_DOTNET, HINDSIGHT_ALLOCATE});
  Measure(target, 2 * settings.milliseconds);  // let tiered compilation settle
  std::vector<double> bare, rates[kWays], cpu_rates[kWays];
  for (int round = 1; round <= settings.rounds; ++round) {
    std::fprintf(stderr, "round %d of %d\n", round, settings.rounds);
    const Outcome alone = Bare(target, settings.milliseconds);
    bare.push_back(alone.rate);
    for (size_t way = 0; way < kWays; ++way) {
      const Outcome outcome = Recorded(target, settings.milliseconds, ways[way].options);
      rates[way].push_back(outcome.rate / alone.rate);
      cpu_rates[way].push_back(outcome.cpu_rate / alone.cpu_rate);
    }
  }
  std::printf(
      "one thread that allocates, %d rounds: median (smallest to largest)\nbare: %s objects/s\n"
      "%-24s%-28s%-28s%s\n",
      settings.rounds, Summary(bare, 0).c_str(), "share of the bare", "objects/s",
      "by the thread's CPU time", "wanted");
  for (size_t way = 0; way < kWays; ++way) {
    std::printf("%-24s%-28s%-28s%s\n", ways[way].name, Summary(rates[way], 3).c_str(),
                Summary(cpu_rates[way], 3).c_str(), ">= 0.98");
  }
}

}  // namespace hindsight::bench
