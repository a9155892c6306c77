// What source `cpu` keeps for each sampled thread: a ring for the signal handler, counters, and the
// bounds of the stack. Where there are no signals, one slot serves all threads: that of the thread
// that samples them.
//
// A slot belongs to one thread at a time; when that thread has ended it serves another one, which
// continues in the same ring (samples name their thread). The handler maps the ring at the thread's
// first sample, so a thread that never runs costs nothing; it is unmapped when the recording is
// over. Slots are never freed: a signal may be late, and carries the address of its slot. Then the
// slot no longer belongs to the signalled thread, or sampling is over, and the handler does not
// touch the ring.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/limits.h"
#include "recorder/base/memory.h"
#include "recorder/base/thread_run.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stream/event.h"
#include "recorder/stream/ring.h"
#include "recorder/stream/thread_track.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxCpuSlots = 8192;

// kCpuSample, followed by `frames` words as sampled_place.h says.
struct CpuSampleEvent {
  EventHeader header;
  uint32_t weight;  // timer periods that it represents
  uint16_t frames;
  bool rooted;  // the last address is in the thread's first frame
};

// Where the handlers of one recording write their samples, and which threads they wake.
struct CpuSink {
  const SignalWalker& walker;
  MemoryBudget& budget;
  Waker& drain;
  Waker& sampler;  // to find a stack's bounds
};

struct CpuHandlerCost {
  // [i]: handlers that took at least i and less than i + 1 times kBucketNs; the last one: also all
  // longer ones.
  static constexpr size_t kBuckets = 32;
  static constexpr uint64_t kBucketNs = 250;

  // A handler does a bounded amount of work and waits for nothing: one that takes longer than this
  // was descheduled, or waited for memory. The excess is not CPU time.
  static constexpr uint64_t kMostCpuNs = 100'000;

  static uint64_t CpuOf(uint64_t ns) { return ns < kMostCpuNs ? ns : kMostCpuNs; }

  static size_t BucketOf(uint64_t ns) {
    return ns / kBucketNs < kBuckets ? static_cast<size_t>(ns / kBucketNs) : kBuckets - 1;
  }
};

struct CpuSlot {
  // Written by the handler. Counters run from the start of the recording.
  Ring ring;
  std::atomic<bool> has_ring{false};  // from then on, `ring` can be consumed
  // Threads inside TakeSample with this slot: its own, and a previous one whose signal is late.
  std::atomic<uint32_t> handlers{0};
  OwnCounter samples, handler_ns;
  OwnCounter handler_cpu_ns;  // see CpuHandlerCost::CpuOf
  OwnCounter periods;         // timer periods reported to the handler
  OwnCounter dropped;         // the ring was full
  OwnCounter unmapped;        // no memory for a ring
  std::array<OwnCounter, CpuHandlerCost::kBuckets> histogram;
  // Written at a sample on a stack that is not known yet, for the sampler: the stack pointer (0: no
  // request) and the thread pointer.
  std::atomic<uintptr_t> asked_sp{0};
  std::atomic<uintptr_t> asked_tp{0};

  // Written by the thread that sets up the timer.
  std::atomic<bool> taken{false};
  std::atomic<const CpuSink*> sink{nullptr};  // null: no samples are taken
  std::atomic<uint64_t> recording{0};         // to which ring and counters belong; 0: none
  std::atomic<uint32_t> os_id{0};             // of its thread, or of the previous one
  std::atomic<uintptr_t> stack_low{0};
  std::atomic<uintptr_t> stack_high{0};  // 0: unknown yet

  int timer = 0;                // the kernel's id
  int signal = 0;               // raised by the timer
  uint64_t due_cpu_ns = 0;      // CPU time of the thread at the end of its first period
  uint64_t periods_before = 0;  // of the threads that used the slot before

  // Sampler only.
  uint64_t scan = 0;  // the scan that saw its thread last
  uint32_t unanswered = 0;
  SignalLook look;
  uint64_t undelivered = 0;  // periods without a call of the handler, at the last check

  // Drain thread only: losses already in the recording.
  uint64_t reported_dropped = 0, reported_unmapped = 0, reported_broken = 0;
};

class CpuSlots {
 public:
  static CpuSlots& Instance();

  // Before the first Claim. False: there is no memory.
  bool Open();

  // Any thread. A free slot, prepared for `recording`, with the caller as its only writer; null:
  // none is free. Return it with Free.
  CpuSlot* Claim(uint64_t recording);
  static void Free(CpuSlot& slot) {
    slot.sink.store(nullptr);
    slot.taken.store(false);
  }

  // Handler: the slot that a timer's value refers to; null: none.
  CpuSlot* Find(const void* value) const;

  // Any one thread, in addition to the handlers.
  template <typename F>
  void ForEach(uint64_t recording, F f) {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      if (slots_[i].recording.load(std::memory_order_acquire) == recording) f(slots_[i]);
    }
  }

  // Unmaps the rings of `recording`. Call it when no handler can run any more.
  void Release(uint64_t recording, MemoryBudget& budget);

 private:
  // kMaxCpuSlots of them; memory is committed when they are used: a slot starts as zeroed memory.
  CpuSlot* slots_ = nullptr;
  std::atomic<size_t> count_{0};
};

// Of a thread's ring: it shrinks as the budget fills up.
size_t RingBytes(const MemoryBudget& budget);
// Signal handler, on the slot's thread: maps its ring. False: no memory under the cap.
bool MapRing(CpuSlot& slot, MemoryBudget& budget, size_t bytes);

// The same: adds a sample of the thread `os_id`. `walk` fills in the frames, as many as there is
// room for, and returns how many, and whether they are rooted. False: the ring is full.
template <typename Walk>
bool AddSample(CpuSlot& slot, uint32_t os_id, uint64_t time_ns, uint32_t weight, Walk walk) {
  constexpr size_t kLeast = sizeof(CpuSampleEvent) + sizeof(uintptr_t);
  constexpr size_t kMost = sizeof(CpuSampleEvent) + kMaxStackDepth * sizeof(uintptr_t);
  size_t bytes;
  void* memory = slot.ring.ReserveUpTo(kLeast, kMost, bytes);
  if (memory == nullptr) return false;
  auto& event = *static_cast<CpuSampleEvent*>(memory);
  auto* frames = reinterpret_cast<uintptr_t*>(&event + 1);
  const size_t room = (bytes - sizeof(event)) / sizeof(uintptr_t);
  const auto stack = walk(std::span<uintptr_t>(frames, room));
  const size_t used = sizeof(event) + stack.frames * sizeof(uintptr_t);
  event.header.units = static_cast<uint16_t>(used / 8);
  event.header.kind = EventKind::kCpuSample;
  event.header.thread = os_id;
  event.header.time_ns = time_ns;
  event.weight = weight;
  event.frames = static_cast<uint16_t>(stack.frames);
  event.rooted = stack.rooted;
  slot.ring.Commit(used);
  slot.samples.Add(1);
  return true;
}

}  // namespace hindsight::recorder
