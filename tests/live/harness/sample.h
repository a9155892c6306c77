// The published samples and the programs under test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"

namespace hindsight::live {

// Runtimes that the recorder promises to work in.
inline constexpr int kRuntimes[] = {8, 9, 10};

// The command that runs ExceptionStorm or Steady on a runtime's major version.
std::vector<std::string> Storm(int runtime, std::vector<std::string> arguments = {});
std::vector<std::string> Steady(std::vector<std::string> arguments = {});

std::filesystem::path StormTruth();

}  // namespace hindsight::live
