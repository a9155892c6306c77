#include "recorder/stack/stack_table.h"

#include <algorithm>

namespace hindsight::recorder {
namespace {

uint64_t Hash(std::span<const uintptr_t> frames) {
  uint64_t hash = frames.size() * 0x9e3779b97f4a7c15u;
  for (const uintptr_t ip : frames) {
    hash = (hash ^ ip) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool StackTable::Open(MemoryBudget& budget) {
  auto* memory = static_cast<std::byte*>(
      budget.Map(kSlots * sizeof(std::atomic<uint64_t>) + kArenaWords * sizeof(uintptr_t)));
  if (memory == nullptr) return false;
  slots_ = reinterpret_cast<std::atomic<uint64_t>*>(memory);  // zeroed pages are empty slots
  arena_ = reinterpret_cast<uintptr_t*>(memory + kSlots * sizeof(std::atomic<uint64_t>));
  arena_used_.store(1, std::memory_order_relaxed);
  return true;
}

void StackTable::Close(MemoryBudget& budget) {
  if (slots_ == nullptr) return;
  budget.Unmap(slots_, kSlots * sizeof(std::atomic<uint64_t>) + kArenaWords * sizeof(uintptr_t));
  slots_ = nullptr;
  arena_ = nullptr;
}

uint32_t StackTable::Intern(std::span<const uintptr_t> frames) {
  if (slots_ == nullptr || frames.empty()) return 0;
  const uint64_t hash = Hash(frames);
  const uint64_t tag = hash & 0xffffffff00000000u;
  uint32_t mine = 0;  // our copy in the arena, if any
  for (size_t probe = 0; probe < kProbes; ++probe) {
    std::atomic<uint64_t>& slot = slots_[(hash + probe) & (kSlots - 1)];
    uint64_t seen = slot.load(std::memory_order_acquire);
    if (seen == 0) {
      if (mine == 0) {
        const size_t words = frames.size() + 1;
        if (arena_used_.load(std::memory_order_relaxed) + words > kArenaWords) return 0;
        const size_t place = arena_used_.fetch_add(words, std::memory_order_relaxed);
        if (place + words > kArenaWords) return 0;
        arena_[place] = frames.size();
        std::copy(frames.begin(), frames.end(), arena_ + place + 1);
        mine = static_cast<uint32_t>(place);
      }
      if (slot.compare_exchange_strong(seen, tag | mine, std::memory_order_acq_rel)) return mine;
    }
    if ((seen & 0xffffffff00000000u) == tag) {
      const auto handle = static_cast<uint32_t>(seen);
      if (std::ranges::equal(Frames(handle), frames)) return handle;
    }
  }
  return mine;  // not published, but complete; 0 if never copied
}

std::span<const uintptr_t> StackTable::Frames(uint32_t handle) const {
  return {arena_ + handle + 1, arena_[handle]};
}

}  // namespace hindsight::recorder
