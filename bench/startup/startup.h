// What the recorder adds to the start and end of a process: dotnet hello.dll, bare and recorded.
#pragma once

namespace hindsight::bench {

struct StartupSettings {
  int rounds = 20;
  bool each_source = false;  // each source that is on by default alone, too
};

// Prints wall and CPU time of each configuration, and what it adds to the bare run of its round:
// medians and spreads. Throws std::runtime_error when a program fails.
void MeasureStartup(const StartupSettings& settings);

}  // namespace hindsight::bench
