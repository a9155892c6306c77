// Cost of the default sources to a program that consists mostly of JIT compilation: a C# compiler,
// run once from a cold start.
#pragma once

namespace hindsight::bench {

struct CompileSettings {
  int rounds = 10;
  int classes = 40;
};

// Prints a table. Throws std::runtime_error.
void MeasureCompile(const CompileSettings& settings);

}  // namespace hindsight::bench
