#include "recorder/sources/cpu/cpu_sample.h"

#include "recorder/base/clock.h"

namespace hindsight::recorder {
namespace {

// The walk is limited to the known bounds of the stack: on an alternate stack, or one whose bounds
// are not known yet, the sample has only its location.
SignalStack WalkFrom(const InterruptedAt& at, CpuSlot& slot, const CpuSink& sink,
                     std::span<uintptr_t> out) {
  const uintptr_t high = slot.stack_high.load(std::memory_order_acquire);
  if (high != 0 && at.sp < high && at.sp >= slot.stack_low.load(std::memory_order_relaxed)) {
    return sink.walker.Walk(at, high, out);
  }
  if (high == 0 && slot.asked_sp.load(std::memory_order_relaxed) == 0) {
    slot.asked_tp.store(reinterpret_cast<uintptr_t>(__builtin_thread_pointer()),
                        std::memory_order_relaxed);
    slot.asked_sp.store(at.sp, std::memory_order_release);
    sink.sampler.Wake();
  }
  out[0] = at.ip;
  return {1, false, false};
}

void PutSample(CpuSlot& slot, const CpuSink& sink, uint64_t time_ns, uint32_t weight,
               const InterruptedAt& at) {
  if (!slot.has_ring.load(std::memory_order_relaxed) &&
      !MapRing(slot, sink.budget, RingBytes(sink.budget))) {
    slot.unmapped.Add(1);
    return;
  }
  const auto walk = [&](std::span<uintptr_t> out) { return WalkFrom(at, slot, sink, out); };
  const uint32_t os_id = slot.os_id.load(std::memory_order_relaxed);
  if (!AddSample(slot, os_id, time_ns, weight, walk)) {
    slot.dropped.Add(1);
    sink.drain.Wake();
    return;
  }
  if (slot.ring.UsedByProducer() > slot.ring.capacity() / 2) sink.drain.Wake();
}

}  // namespace

void TakeSample(CpuSlot& slot, uint32_t os_id, uint32_t weight, const InterruptedAt& at) {
  // In this order, and sequentially consistent: once a slot's sink is removed and no handler is in
  // here, the old thread no longer touches the ring. A late signal finds no sink, or the slot owned
  // by another thread; see CpuSlots::Claim.
  slot.handlers.fetch_add(1);
  const CpuSink* const sink = slot.sink.load();
  if (sink != nullptr && slot.os_id.load() == os_id) {
    const uint64_t began = MonotonicNs();
    PutSample(slot, *sink, began, weight, at);
    const uint64_t took = MonotonicNs() - began;
    slot.periods.Add(weight);
    slot.handler_ns.Add(took);
    slot.handler_cpu_ns.Add(CpuHandlerCost::CpuOf(took));
    slot.histogram[CpuHandlerCost::BucketOf(took)].Add(1);
  }
  slot.handlers.fetch_sub(1);
}

}  // namespace hindsight::recorder
