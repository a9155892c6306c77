#include "bench/startup/startup.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "recorder/contract/catalogue.h"
#include "recorder/contract/options.h"

namespace hindsight::bench {
namespace {

struct Series {
  std::vector<double> wall_ms, cpu_ms, rss_mib;
};

std::string DefaultSources() {
  const contract::Options defaults;
  std::string names;
  for (const contract::SourceInfo& source : contract::Catalogue()) {
    if (!defaults.Has(source.id)) continue;
    if (!names.empty()) names += ", ";
    names += source.name;
  }
  return names;
}

// Bare first, then the configurations compared with it.
std::vector<Configuration> All(const Scratch& scratch, bool each_source) {
  std::vector<Configuration> all = Configurations(scratch.path(), "");
  if (!each_source) return all;
  const Configuration recorder = all.at(1);
  const contract::Options defaults;
  for (const contract::SourceInfo& source : contract::Catalogue()) {
    if (!defaults.Has(source.id)) continue;
    Configuration one = recorder;
    one.name = source.name;
    for (auto& [name, value] : one.environment) {
      if (name == contract::kOptionsVariable) value += ";sources=" + std::string(source.name);
    }
    all.push_back(std::move(one));
  }
  return all;
}

void RunOne(const Configuration& configuration, Series& series) {
  if (!configuration.recordings.empty()) {
    std::filesystem::remove_all(configuration.recordings);
    std::filesystem::create_directories(configuration.recordings);
  }
  const Measured measured =
      RunChild({HINDSIGHT_DOTNET, HINDSIGHT_HELLO}, configuration.environment);
  if (measured.exit_code != 0) {
    throw std::runtime_error(configuration.name + ": the program failed with exit code " +
                             std::to_string(measured.exit_code));
  }
  series.wall_ms.push_back(static_cast<double>(measured.wall_ns) / 1e6);
  series.cpu_ms.push_back(static_cast<double>(measured.cpu_ns) / 1e6);
  series.rss_mib.push_back(static_cast<double>(measured.max_rss_bytes) / (1 << 20));
}

std::vector<double> Added(const std::vector<double>& values, const std::vector<double>& bare) {
  std::vector<double> added;
  for (size_t i = 0; i < values.size(); ++i) added.push_back(values[i] - bare[i]);
  return added;
}

}  // namespace

void MeasureStartup(const StartupSettings& settings) {
  const Scratch scratch;
  const std::vector<Configuration> all = All(scratch, settings.each_source);
  Series warm_up;
  for (const Configuration& configuration : all) RunOne(configuration, warm_up);  // page cache
  std::map<std::string, Series> series;
  for (int round = 0; round < settings.rounds; ++round) {
    for (const Configuration& configuration : all) {
      RunOne(configuration, series[configuration.name]);
    }
  }
  const Series& bare = series.at(all.front().name);
  std::printf(
      "dotnet hello.dll, %d interleaved rounds: median (smallest to largest); added: of the "
      "differences within a round\nrecorder: all default sources (%s)\n\n",
      settings.rounds, DefaultSources().c_str());
  std::printf("%-18s%-26s%-26s%-26s%-26s%s\n", "", "wall ms", "added wall ms", "CPU ms",
              "added CPU ms", "largest RSS, MiB");
  for (const Configuration& configuration : all) {
    const Series& own = series.at(configuration.name);
    const bool is_bare = &own == &bare;
    std::printf("%-18s%-26s%-26s%-26s%-26s%s\n", configuration.name.c_str(),
                Summary(own.wall_ms, 1).c_str(),
                is_bare ? "" : Summary(Added(own.wall_ms, bare.wall_ms), 1).c_str(),
                Summary(own.cpu_ms, 1).c_str(),
                is_bare ? "" : Summary(Added(own.cpu_ms, bare.cpu_ms), 1).c_str(),
                Summary(own.rss_mib, 1).c_str());
  }
}

}  // namespace hindsight::bench
