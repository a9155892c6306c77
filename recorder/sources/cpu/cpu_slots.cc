#include "recorder/sources/cpu/cpu_slots.h"

#include <new>

#include "recorder/base/pages.h"

namespace hindsight::recorder {
namespace {

void Reset(CpuSlot& slot) {
  for (OwnCounter* counter : {&slot.samples, &slot.handler_ns, &slot.handler_cpu_ns, &slot.periods,
                              &slot.dropped, &slot.unmapped}) {
    counter->Reset();
  }
  for (OwnCounter& bucket : slot.histogram) bucket.Reset();
  slot.reported_dropped = slot.reported_unmapped = slot.reported_broken = 0;
}

}  // namespace

CpuSlots& CpuSlots::Instance() {
  // Never destroyed: a signal may arrive as late as the end of the process.
  alignas(CpuSlots) static std::byte storage[sizeof(CpuSlots)];
  static CpuSlots* const slots = new (storage) CpuSlots;
  return *slots;
}

bool CpuSlots::Open() {
  if (slots_ != nullptr) return true;
  void* memory = MapSparsePages(kMaxCpuSlots * sizeof(CpuSlot));
  if (memory == nullptr) return false;
  slots_ = static_cast<CpuSlot*>(memory);
  return true;
}

CpuSlot* CpuSlots::Claim(uint64_t recording) {
  for (size_t i = 0; i < kMaxCpuSlots; ++i) {
    CpuSlot& slot = slots_[i];
    bool taken = false;
    if (slot.taken.load(std::memory_order_relaxed) ||
        !slot.taken.compare_exchange_strong(taken, true)) {
      continue;
    }
    // A slot whose handler did not finish in time is left alone. A later handler finds no sink.
    if (slot.handlers.load() != 0) {
      slot.taken.store(false);
      continue;
    }
    size_t count = count_.load(std::memory_order_relaxed);
    while (count <= i && !count_.compare_exchange_weak(count, i + 1)) {
    }
    if (slot.recording.load(std::memory_order_relaxed) != recording) {
      Reset(slot);
      slot.recording.store(recording, std::memory_order_release);
    }
    return &slot;
  }
  return nullptr;
}

CpuSlot* CpuSlots::Find(const void* value) const {
  const size_t count = count_.load(std::memory_order_acquire);  // first: slots_ was set before it
  const auto offset = reinterpret_cast<uintptr_t>(value) - reinterpret_cast<uintptr_t>(slots_);
  const size_t index = offset / sizeof(CpuSlot);
  if (index >= count || offset % sizeof(CpuSlot) != 0) return nullptr;
  return &slots_[index];
}

void CpuSlots::Release(uint64_t recording, MemoryBudget& budget) {
  ForEach(recording, [&](CpuSlot& slot) {
    slot.recording.store(0, std::memory_order_relaxed);
    if (!slot.has_ring.exchange(false)) return;
    budget.Unmap(slot.ring.memory(), slot.ring.capacity());
    slot.ring.Reset(nullptr, 0);
  });
}

// A ring of 16 KiB holds half a second of ordinary stacks at 100 Hz; the drain thread, which may
// have to wait for a processor, reads it every 100 ms.
size_t RingBytes(const MemoryBudget& budget) {
  const uint64_t eighths = budget.EighthsUsed();
  return eighths < 4 ? 64u << 10 : eighths < 6 ? 16u << 10 : 4u << 10;
}

bool MapRing(CpuSlot& slot, MemoryBudget& budget, size_t bytes) {
  auto* memory = static_cast<std::byte*>(budget.Map(bytes));
  if (memory == nullptr) return false;
  slot.ring.Reset(memory, bytes);
  slot.has_ring.store(true, std::memory_order_release);
  return true;
}

}  // namespace hindsight::recorder
