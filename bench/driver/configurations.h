// How a program is run under each of the compared tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/driver/child.h"

namespace hindsight::bench {

struct Configuration {
  std::string name;
  std::vector<std::string> prefix;  // command in front of the program's
  Environment environment;
  std::filesystem::path recordings;  // that it writes; empty: none
};

// Bare; with the recorder; with callbacks or events that do nothing; under dotnet-trace, if
// `dotnet_trace` is not empty. Recordings are written to `scratch`.
std::vector<Configuration> Configurations(const std::filesystem::path& scratch,
                                          const std::string& dotnet_trace);

uint64_t BytesIn(const std::filesystem::path& folder);

}  // namespace hindsight::bench
