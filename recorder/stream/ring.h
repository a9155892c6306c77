// A byte ring with one producer (the thread whose events it holds) and one consumer (the drain
// thread).
//
// The producer reserves, fills and commits; nothing ever waits. An event is contiguous: if it does
// not fit before the end, padding is committed with it. The first block belongs to the caller.
//
// A full ring can grow: the producer continues in a new block, and the consumer follows once it has
// emptied the previous one, which it frees. So growing copies nothing, and a grown ring can return
// to its first block when that and the last one are empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/base/memory.h"
#include "recorder/stream/event.h"

namespace hindsight::recorder {

class Ring {
 public:
  // `memory` holds `capacity` bytes, a power of two, zeroed or not; it must outlive the ring's use.
  // While no thread uses the ring; blocks added by growing are freed.
  void Reset(std::byte* memory, size_t capacity);
  bool ready() const { return first_.memory != nullptr; }
  std::byte* memory() const { return first_.memory; }  // the caller's
  // Producer: of the block being written.
  size_t capacity() const { return write_->capacity; }

  // Producer. Room for an event of `size` bytes (a multiple of 8), or null if the ring is full, or
  // if less than `keep` bytes would be left. Only one reservation at a time; Commit publishes it,
  // and without Commit it is abandoned.
  void* Reserve(size_t size, size_t keep = 0) {
    size_t got;
    void* place = ReserveUpTo(size, size, got);
    if (place == nullptr || keep == 0) return place;
    return FreeBehind(size) >= keep ? place : nullptr;
  }
  void Commit() { Commit(reserved_); }
  // The same for an event whose size is known only after filling: as much contiguous room as there
  // is, `got` of `least` to `most` bytes (multiples of 8); Commit publishes the `used` bytes of it.
  void* ReserveUpTo(size_t least, size_t most, size_t& got);
  void Commit(size_t used) { write_->head.store(reserved_from_ + used, std::memory_order_release); }
  // Bytes in use, as the producer sees them; the consumer may have freed more.
  size_t UsedByProducer() const {
    return write_->head.load(std::memory_order_relaxed) -
           write_->tail.load(std::memory_order_relaxed);
  }

  // Producer. Continues in a new block of `capacity` bytes, a power of two; false: no memory. Not
  // in signal handlers. `budget` must outlive the ring's use.
  bool Grow(MemoryBudget& budget, size_t capacity);
  bool has_grown() const { return write_ != &first_; }
  // Producer. Returns to the first block if that is possible without losing anything.
  void Shrink();

  // Consumer. The oldest event, or null; Pop frees it. Sizes are not trusted: after an impossible
  // one the next event cannot be found, so the rest of the block is skipped.
  const EventHeader* Front();
  void Pop();
  // How often that happened.
  uint64_t broken() const { return broken_; }

 private:
  static constexpr size_t kLeastPadding = 8;  // holds only a size and a kind

  struct Block {
    std::byte* memory = nullptr;
    size_t capacity = 0;
    MemoryBudget* budget = nullptr;  // of a block added by growing
    // Set by the producer after its last event in this block.
    std::atomic<Block*> next{nullptr};
    // Positions count bytes since the block's creation and never wrap.
    alignas(64) std::atomic<size_t> head{0};  // written by the producer
    alignas(64) std::atomic<size_t> tail{0};  // written by the consumer
  };
  // Offset of the data in a mapped block, after its description.
  static constexpr size_t kBlockBytes = 4096;
  static_assert(sizeof(Block) <= kBlockBytes);

  size_t FreeBehind(size_t size) const {
    return write_->capacity -
           (reserved_from_ + size - write_->tail.load(std::memory_order_relaxed));
  }
  const EventHeader* FrontOf(Block& block);
  static void GiveBack(Block* block);

  Block first_;
  Block* write_ = &first_;                   // producer's
  size_t reserved_from_ = 0, reserved_ = 0;  // producer's: position and size
  Block* read_ = &first_;                    // consumer's
  size_t front_bytes_ = 0;                   // consumer's: size of what Front returned
  uint64_t broken_ = 0;                      // consumer's
  std::atomic<bool> first_left_{false};      // the consumer has left the first block
};

}  // namespace hindsight::recorder
