// Runs a program as a user would, and keeps what it printed.
#pragma once

#include <string>
#include <vector>

namespace hindsight::testing {

struct RunResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
  long max_rss_kib = 0;
};

// Waits for the end. `as_nobody` gives up root's rights first, if there are any. Throws
// std::runtime_error if it cannot be started.
RunResult RunProgram(const std::vector<std::string>& command, bool as_nobody = false);

}  // namespace hindsight::testing
