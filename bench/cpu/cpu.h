// Cost of CPU sampling: bare, with the recorder's source `cpu` attached at 100 Hz, and under
// `dotnet-trace collect` with its defaults, alternating in one process.
#pragma once

#include <string>

namespace hindsight::bench {

struct CpuSettings {
  int rounds = 9;
  int milliseconds = 3000;   // of each measurement
  std::string dotnet_trace;  // empty: left out
};

// Prints a table. Throws std::runtime_error.
void MeasureCpu(const CpuSettings& settings);

}  // namespace hindsight::bench
