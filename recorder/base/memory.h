// The recorder's memory, under its hard limit (limit.memory).
//
// Everything that grows with the application (rings, stack table, thread state) is mapped and
// counted here. At the limit, Map returns null and the caller drops and counts. Any thread; no
// locks; no malloc, so callbacks may call it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

class MemoryBudget {
 public:
  void SetLimit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

  // What is mapped so far is shared by all threads; the rest is for per-thread memory.
  void EndShared() { shared_.store(used(), std::memory_order_relaxed); }
  // How much of that rest is in use, or would be with `more` bytes: 0 to 8. Threads get smaller
  // rings as it fills up.
  uint64_t EighthsUsed(uint64_t more = 0) const {
    const uint64_t shared = shared_.load(std::memory_order_relaxed);
    const uint64_t used = this->used() + more, limit = this->limit();
    if (used <= shared) return 0;
    return used >= limit ? 8 : (used - shared) * 8 / (limit - shared);
  }

  // Zeroed pages, not yet backed by memory; null at the limit, or if the system refuses.
  void* Map(size_t bytes);
  void Unmap(void* memory, size_t bytes);

 private:
  std::atomic<uint64_t> limit_{32u << 20};
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> shared_{0};
};

}  // namespace hindsight::recorder
