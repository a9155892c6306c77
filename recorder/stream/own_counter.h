// A counter with one writer, the thread that it counts for: no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class OwnCounter {
 public:
  void Add(uint64_t n) { value_.store(Read() + n, std::memory_order_relaxed); }
  uint64_t Read() const { return value_.load(std::memory_order_relaxed); }
  void Reset() { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace hindsight::recorder
