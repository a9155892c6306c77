#include "bench/compile/compile.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"

namespace hindsight::bench {
namespace {

struct Outcome {
  double cpu_ms = 0, wall_ms = 0;
};

Outcome Run(const Configuration& configuration, int classes) {
  if (!configuration.recordings.empty()) {
    std::filesystem::remove_all(configuration.recordings);
    std::filesystem::create_directories(configuration.recordings);
  }
  const Measured measured =
      RunChild({HINDSIGHT_DOTNET, HINDSIGHT_COMPILE, "--classes", std::to_string(classes)},
               configuration.environment);
  if (measured.exit_code != 0) {
    throw std::runtime_error(configuration.name + ": it did not compile");
  }
  return {.cpu_ms = static_cast<double>(measured.cpu_ns) / 1e6,
          .wall_ms = static_cast<double>(measured.wall_ns) / 1e6};
}

}  // namespace

void MeasureCompile(const CompileSettings& settings) {
  const Scratch scratch;
  const std::vector<Configuration> configurations = Configurations(scratch.path(), "");
  const Configuration& bare = configurations[0];
  const Configuration& recorder = configurations[1];
  Run(bare, settings.classes);  // warms up the page cache
  std::vector<double> cpu_ratios, wall_ratios, cpu, wall;
  for (int round = 1; round <= settings.rounds; ++round) {
    std::fprintf(stderr, "round %d of %d\n", round, settings.rounds);
    // Each one goes first in every second round, so that drift affects both.
    Outcome recorded;
    if (round % 2 == 0) recorded = Run(recorder, settings.classes);
    const Outcome alone = Run(bare, settings.classes);
    if (round % 2 != 0) recorded = Run(recorder, settings.classes);
    cpu.push_back(alone.cpu_ms);
    wall.push_back(alone.wall_ms);
    cpu_ratios.push_back(recorded.cpu_ms / alone.cpu_ms);
    wall_ratios.push_back(recorded.wall_ms / alone.wall_ms);
  }
  std::printf(
      "a C# compiler from cold, %d classes, all default sources, %d rounds:\n"
      "median (smallest to largest)\n%-24s%-28s%-28s%s\n%-24s%-28s%-28s%s\n%-24s%-28s%s\n",
      settings.classes, settings.rounds, "", "bare", "recorded by bare", "wanted", "CPU time, ms",
      Summary(cpu, 0).c_str(), Summary(cpu_ratios, 3).c_str(), "<= 1.03", "from start to end, ms",
      Summary(wall, 0).c_str(), Summary(wall_ratios, 3).c_str());
}

}  // namespace hindsight::bench
