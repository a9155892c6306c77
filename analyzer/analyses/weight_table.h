// Weights by two numbers: sums samples by thread or type, and by what ran in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/analyses/call_paths.h"

namespace hindsight::analyzer {

// A single flat table, because millions of samples hit entries in random order: a lookup touches
// one cache line. Not thread-safe.
class WeightTable {
 public:
  // `first` is below 2^32 - 1. Valid until the next call.
  PathWeight& At(uint32_t first, uint32_t second) {
    if (8 * (used_ + 1) > 5 * slots_.size()) Grow();
    Slot& slot = Find((uint64_t{first} + 1) << 32 | second);
    return slot.weight;
  }

  // Calls each(first, second, weight), in no particular order.
  template <typename Each>
  void ForEach(const Each& each) const {
    for (const Slot& slot : slots_) {
      if (slot.key == 0) continue;
      each(static_cast<uint32_t>(slot.key >> 32) - 1, static_cast<uint32_t>(slot.key), slot.weight);
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;  // 0: free
    PathWeight weight;
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
    for (const Slot& slot : old) {
      if (slot.key != 0) Find(slot.key).weight = slot.weight;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  size_t used_ = 0;
};

}  // namespace hindsight::analyzer
