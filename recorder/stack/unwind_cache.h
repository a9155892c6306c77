// The most recent steps of walks: one cache line per instruction, instead of two searches.
//
// A signal interrupts a processor whose caches hold other data, so what counts is how many cache
// lines a walk touches. A direct-mapped table of atomic words; any thread reads and writes, also in
// a signal handler; a lost entry is looked up again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "recorder/base/memory.h"
#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

class UnwindCache {
 public:
  // Without memory under the limit, nothing is cached.
  bool Open(MemoryBudget& budget) {
    entries_ = static_cast<std::atomic<uint64_t>*>(budget.Map(kEntries * sizeof(uint64_t)));
    return entries_ != nullptr;
  }
  void Close(MemoryBudget& budget) {
    budget.Unmap(entries_, kEntries * sizeof(uint64_t));
    entries_ = nullptr;
  }

  std::optional<UnwindStep> Find(uintptr_t ip) const {
    if (entries_ == nullptr) return std::nullopt;
    const uint64_t place = Scatter(ip);
    const uint64_t entry = entries_[place & (kEntries - 1)].load(std::memory_order_relaxed);
    if (entry >> kStepBits != place >> kIndexBits || (entry & kStepMask) == 0) return std::nullopt;
    return Decode(entry & kStepMask);
  }

  void Keep(uintptr_t ip, UnwindStep step) {
    if (entries_ == nullptr || step.words > kMaxWords || step.is() == UnwindStep::Kind::kUnknown) {
      return;
    }
    const uint64_t place = Scatter(ip);
    entries_[place & (kEntries - 1)].store(place >> kIndexBits << kStepBits | Encode(step),
                                           std::memory_order_relaxed);
  }

  // Any thread. Unloaded code is on no stack, so no walk adds one of its steps in the meantime.
  void Clear() {
    for (size_t i = 0; entries_ != nullptr && i < kEntries; ++i) {
      entries_[i].store(0, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr uint32_t kIndexBits = 14;
  static constexpr size_t kEntries = size_t{1} << kIndexBits;
  static constexpr uint32_t kAddressBits = 48;
  static constexpr uint32_t kStepBits = 64 - (kAddressBits - kIndexBits);  // 30
  static constexpr uint64_t kStepMask = (uint64_t{1} << kStepBits) - 1;
  static constexpr uint32_t kMaxWords = (1u << 14) - 1;
  static_assert(3 + 13 + 14 == kStepBits);

  // A bijection on 48 bits, so that index and tag together identify the address: both factors are
  // odd.
  static uint64_t Scatter(uintptr_t ip) {
    constexpr uint64_t kMask = (uint64_t{1} << kAddressBits) - 1;
    uint64_t bits = ip * 0x9e3779b97f4a7c15u & kMask;
    bits ^= bits >> (kAddressBits / 2);
    return bits * 0xff51afd7ed558ccdu & kMask;
  }
  static uint64_t Encode(UnwindStep step) {
    return uint64_t{step.kind} | uint64_t{step.bp_words} << 3 | uint64_t{step.words} << 16;
  }
  static UnwindStep Decode(uint64_t bits) {
    return UnwindStep::Of(static_cast<UnwindStep::Kind>(bits & 7),
                          static_cast<uint32_t>(bits >> 16), bits >> 3 & UnwindStep::kMaxBpWords);
  }

  std::atomic<uint64_t>* entries_ = nullptr;
};

}  // namespace hindsight::recorder
