// Values by two numbers: sums of samples by thread and type, children of a node by their frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hindsight::analyzer {

// A single flat table, because millions of lookups come in random order: each touches about one
// cache line. Not thread-safe.
template <typename Value>
class PairTable {
 public:
  // A new entry is Value(). `first` is below 2^32 - 1. Valid until the next call.
  Value& At(uint32_t first, uint32_t second) {
    if (8 * (used_ + 1) > 5 * slots_.size()) Grow();
    return Find((uint64_t{first} + 1) << 32 | second).value;
  }

  // Calls each(first, second, value) for all entries, in no particular order.
  template <typename Each>
  void ForEach(const Each& each) const {
    for (const Slot& slot : slots_) {
      if (slot.key == 0) continue;
      each(static_cast<uint32_t>(slot.key >> 32) - 1, static_cast<uint32_t>(slot.key), slot.value);
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;  // 0: free
    Value value = {};
  };

  Slot& Find(uint64_t key) {
    const size_t mask = slots_.size() - 1;
    size_t at = (key * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) & mask;
    if (slots_[at].key == 0) {
      slots_[at].key = key;
      ++used_;
    }
    return slots_[at];
  }

  void Grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    used_ = 0;
    for (Slot& slot : old) {
      if (slot.key != 0) Find(slot.key).value = std::move(slot.value);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  size_t used_ = 0;
};

}  // namespace hindsight::analyzer
