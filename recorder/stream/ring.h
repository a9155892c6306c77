// A byte ring with one producer (the thread whose events it holds) and one consumer (the drain
// thread).
//
// The producer reserves, fills and commits; nothing ever waits. An event lies in one piece: where
// it does not fit before the end, padding is committed with it. The memory belongs to the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "recorder/stream/event.h"

namespace hindsight::recorder {

class Ring {
 public:
  // `memory` holds `capacity` bytes, a power of two, zeroed or not; it outlives the ring's use.
  void Reset(std::byte* memory, size_t capacity);
  bool ready() const { return memory_ != nullptr; }
  std::byte* memory() const { return memory_; }
  size_t capacity() const { return capacity_; }

  // Producer. Room for an event of `size` bytes (a multiple of 8), or null when the ring is full.
  // Only one reservation at a time; Commit publishes it, and not to commit abandons it.
  void* Reserve(size_t size) {
    size_t got;
    return ReserveUpTo(size, size, got);
  }
  void Commit() { Commit(reserved_); }
  // The same for an event whose size shows only as it is filled: as much room as there is in one
  // piece, `got` of `least` to `most` bytes (multiples of 8); Commit publishes the `used` of them.
  void* ReserveUpTo(size_t least, size_t most, size_t& got);
  void Commit(size_t used) { head_.store(reserved_from_ + used, std::memory_order_release); }
  // Bytes in use, as the producer sees them; the consumer may have freed more.
  size_t UsedByProducer() const {
    return head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_relaxed);
  }

  // Consumer. The oldest event, or null; Pop frees it. Sizes are not trusted: where one cannot be,
  // nobody knows where the next event begins, so all that is there is passed over.
  const EventHeader* Front();
  void Pop();
  // How often that has happened since the last call.
  uint64_t TakeBroken() { return std::exchange(broken_, 0); }

 private:
  static constexpr size_t kLeastPadding = 8;  // holds a size and a kind, and nothing else

  std::byte* memory_ = nullptr;
  size_t capacity_ = 0;
  size_t reserved_from_ = 0, reserved_ = 0;  // producer's: position and size
  size_t front_bytes_ = 0;                   // consumer's: of what Front gave
  uint64_t broken_ = 0;                      // consumer's

  // Positions count bytes since Reset and never wrap.
  alignas(64) std::atomic<size_t> head_{0};  // written by the producer
  alignas(64) std::atomic<size_t> tail_{0};  // written by the consumer
};

}  // namespace hindsight::recorder
