// What the default sources cost a program that is mostly its own compilation: a C# compiler, once,
// from cold.
#pragma once

namespace hindsight::bench {

struct CompileSettings {
  int rounds = 10;
  int classes = 40;
};

// Prints a table. Throws std::runtime_error.
void MeasureCompile(const CompileSettings& settings);

}  // namespace hindsight::bench
