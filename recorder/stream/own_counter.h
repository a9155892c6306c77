// A counter with one writer, the thread that it belongs to: no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class OwnCounter {
 public:
  void Add(uint64_t n) { value_.store(Read() + n, std::memory_order_relaxed); }
  uint64_t Read() const { return value_.load(std::memory_order_relaxed); }
  void Reset() { value_.store(0, std::memory_order_relaxed); }

  // Publishes other data too: a thread that acquires a value sees all that was written before it.
  void Publish(uint64_t value) { value_.store(value, std::memory_order_release); }
  uint64_t Acquire() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace hindsight::recorder
