// Cost of the recorder at the start and end of a process: dotnet hello.dll, bare and recorded.
#pragma once

namespace hindsight::bench {

struct StartupSettings {
  int rounds = 20;
  bool each_source = false;  // also each default source alone
};

// Prints wall and CPU time of each configuration, and the difference from the bare run of its
// round: medians and spreads. Throws std::runtime_error if a program fails.
void MeasureStartup(const StartupSettings& settings);

}  // namespace hindsight::bench
