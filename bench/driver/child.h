// A child process that is run to its end and measured.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hindsight::bench {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Measured {
  int exit_code = -1;  // -1: ended by a signal, or could not be started
  std::string output;  // stdout; stderr goes where the benchmark's goes
  uint64_t wall_ns = 0;
  uint64_t cpu_ns = 0;  // of the process and of its children that it waited for
  uint64_t max_rss_bytes = 0;
};

// `environment` comes on top of the own one.
Measured RunChild(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace hindsight::bench
