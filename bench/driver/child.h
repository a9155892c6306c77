// Runs a child process to its end and measures it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hindsight::bench {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Measured {
  int exit_code = -1;  // -1: ended by a signal, or could not be started
  std::string output;  // stdout; stderr is inherited from the benchmark
  uint64_t wall_ns = 0;
  uint64_t cpu_ns = 0;  // of the process and its waited-for children
  uint64_t max_rss_bytes = 0;
};

// `environment` is added to the inherited one.
Measured RunChild(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace hindsight::bench
