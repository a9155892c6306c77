// What source `cpu` keeps for each thread that it samples: a ring of the signal handler's own,
// counters, and the bounds of the stack.
//
// A slot belongs to one thread at a time; when that has ended it serves another, which goes on in
// the same ring (samples name their thread). Its ring is mapped by the handler at the thread's
// first sample, so that a thread which never runs costs nothing, and unmapped when the recording is
// over. Slots themselves are never freed: a signal may be late, and carries the address of its
// slot. A late signal's thread is not the slot's any more, or sampling is over, and the handler
// leaves the ring alone.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/base/memory.h"
#include "recorder/base/thread_run.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stream/event.h"
#include "recorder/stream/ring.h"
#include "recorder/stream/thread_track.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxCpuSlots = 8192;

// kCpuSample, with a tail of `frames` addresses: the instruction that ran, then return addresses,
// innermost first.
struct CpuSampleEvent {
  EventHeader header;
  uint32_t weight;  // timer periods that it stands for
  uint16_t frames;
  bool rooted;  // the last address is the thread's first frame
};

// Where handlers of one recording put their samples, and whom they wake.
struct CpuSink {
  const SignalWalker& walker;
  MemoryBudget& budget;
  Waker& drain;
  Waker& sampler;  // a stack's bounds are to be found
};

struct CpuHandlerCost {
  // [i]: handlers of at least i and less than i + 1 times kBucketNs; the last: and all longer ones.
  static constexpr size_t kBuckets = 32;
  static constexpr uint64_t kBucketNs = 250;

  // A handler does a bounded amount of work and waits for nothing: one that takes longer than this
  // was taken off its processor, or waited for memory. The rest is no CPU time.
  static constexpr uint64_t kMostCpuNs = 100'000;

  static uint64_t CpuOf(uint64_t ns) { return ns < kMostCpuNs ? ns : kMostCpuNs; }

  static size_t BucketOf(uint64_t ns) {
    return ns / kBucketNs < kBuckets ? static_cast<size_t>(ns / kBucketNs) : kBuckets - 1;
  }
};

struct CpuSlot {
  // Written by the handler. Counters run from the start of the recording.
  Ring ring;
  std::atomic<bool> has_ring{false};  // from then on `ring` can be consumed
  // Threads that are in TakeSample with this slot: its own, and one before it whose signal is late.
  std::atomic<uint32_t> handlers{0};
  OwnCounter samples, handler_ns;
  OwnCounter handler_cpu_ns;  // see CpuHandlerCost::CpuOf
  OwnCounter periods;         // of the timers, that the handler was told of
  OwnCounter dropped;         // the ring was full
  OwnCounter unmapped;        // no memory for a ring
  std::array<OwnCounter, CpuHandlerCost::kBuckets> histogram;
  // At a sample on a stack that is not known yet, for the sampler: the stack pointer (0: nothing is
  // asked) and the thread pointer.
  std::atomic<uintptr_t> asked_sp{0};
  std::atomic<uintptr_t> asked_tp{0};

  // Written by who sets up its thread's timer.
  std::atomic<bool> taken{false};
  std::atomic<const CpuSink*> sink{nullptr};  // null: no samples are taken
  std::atomic<uint64_t> recording{0};         // that ring and counters belong to; 0: none
  std::atomic<uint32_t> os_id{0};             // of its thread, or of the last one
  std::atomic<uintptr_t> stack_low{0};
  std::atomic<uintptr_t> stack_high{0};  // 0: unknown yet

  int timer = 0;                // the kernel's id
  int signal = 0;               // that it raises
  uint64_t due_cpu_ns = 0;      // CPU time of the thread at its first period's end
  uint64_t periods_before = 0;  // of the threads that had the slot before

  // Sampler only.
  uint64_t scan = 0;  // that saw its thread last
  uint32_t unanswered = 0;
  SignalLook look;
  uint64_t undelivered = 0;  // periods that had passed without the handler, at the last look

  // Drain thread only: losses that the recording tells already.
  uint64_t told_dropped = 0, told_unmapped = 0, told_broken = 0;
};

class CpuSlots {
 public:
  static CpuSlots& Instance();

  // Before the first Claim. False: there is no memory.
  bool Open();

  // Any thread. A free slot, made ready for `recording`, which nobody else writes; null: all are
  // taken. Give it back with Free.
  CpuSlot* Claim(uint64_t recording);
  static void Free(CpuSlot& slot) {
    slot.sink.store(nullptr);
    slot.taken.store(false);
  }

  // Handler: the slot that a timer's value names; null: it names none.
  CpuSlot* Find(const void* value) const;

  // Any one thread besides the handlers.
  template <typename F>
  void ForEach(uint64_t recording, F f) {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      if (slots_[i].recording.load(std::memory_order_acquire) == recording) f(slots_[i]);
    }
  }

  // Unmaps the rings of `recording`. Call it when no handler runs any more.
  void Release(uint64_t recording, MemoryBudget& budget);

 private:
  // kMaxCpuSlots of them, backed by memory as they are used: a slot begins as zeroed memory.
  CpuSlot* slots_ = nullptr;
  std::atomic<size_t> count_{0};
};

// Signal handler, on the slot's thread: maps its ring. False: no memory under the cap.
bool MapRing(CpuSlot& slot, MemoryBudget& budget);

}  // namespace hindsight::recorder
