// The table of distinct call stacks: a stack seen again costs a lookup and four bytes in its event.
//
// Insert-only and lock-free, of fixed capacity, mapped once per recording. Any thread inserts, also
// in a signal handler; the drain thread reads by handle. When it is full, or the limit of probes is
// reached, Intern returns 0 and the caller writes the addresses into the event itself: nothing is
// lost, it only costs more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "recorder/base/memory.h"

namespace hindsight::recorder {

class StackTable {
 public:
  bool Open(MemoryBudget& budget);  // false: no memory under the limit; Intern then returns 0
  void Close(MemoryBudget& budget);

  // `frames` are return addresses, innermost first. 0: not interned.
  uint32_t Intern(std::span<const uintptr_t> frames);

  // The addresses for a handle that Intern returned.
  std::span<const uintptr_t> Frames(uint32_t handle) const;

 private:
  // A slot holds the upper half of the hash and the handle, so one atomic word publishes a stack.
  // At the handle's position, the arena holds the number of frames and then the frames.
  static constexpr size_t kSlots = 1u << 16;
  static constexpr size_t kArenaWords = (2u << 20) / sizeof(uintptr_t);
  static constexpr size_t kProbes = 16;

  std::atomic<uint64_t>* slots_ = nullptr;
  uintptr_t* arena_ = nullptr;
  std::atomic<size_t> arena_used_{1};  // position 0 is not a handle
};

}  // namespace hindsight::recorder
