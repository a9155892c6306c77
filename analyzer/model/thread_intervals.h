// What threads did from each complete thread snapshot to the next, by the kernel's counts.
//
// At most kMaxThreads threads at a time and kMaxRows intervals. While a thread does not run and
// keeps its stack, its interval grows; when there are kMaxRows, all intervals grow: their counts
// stay exact, but the stacks in between are lost. Threads beyond either limit count as refused.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

class ThreadIntervals {
 public:
  static constexpr size_t kMaxThreads = size_t{1} << 16;
  static constexpr size_t kMaxRows = size_t{1} << 17;

  // A complete snapshot, later than those before.
  void Add(const ThreadSnapshot& snapshot);
  // Fills `intervals`, and adds to `refused`.
  void Finish(Waits& waits);

 private:
  static constexpr size_t kNoRow = ~size_t{0};
  struct Last {
    int64_t at_ns = 0;
    uint64_t cpu_ns = 0, ready_ns = 0;
    ThreadStatus status;
    size_t row = kNoRow;
  };

  void AddThread(const ThreadInSnapshot& now, int64_t at_ns);
  void Add(Last& last, const ThreadInterval& interval);

  std::unordered_map<uint32_t, Last> last_;  // by thread
  std::vector<ThreadInterval> rows_;
  uint64_t refused_ = 0;
};

}  // namespace hindsight::analyzer
