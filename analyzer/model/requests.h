// Requests served by the process's web server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hindsight::analyzer {

// What ended between the one before and `at_ns`, from the recording's start.
struct RequestSample {
  int64_t at_ns = 0;
  uint64_t started = 0, finished = 0;
  uint64_t failed = 0;    // of `finished`: with an exception that nothing handled
  uint64_t total_ns = 0;  // of `finished`, from start to end
};

struct Requests {
  static constexpr size_t kMaxRows = 4096;
  std::vector<RequestSample> samples;  // by time, neighbors summed up beyond kMaxRows
  uint64_t started = 0, finished = 0, failed = 0, total_ns = 0;
};

}  // namespace hindsight::analyzer
