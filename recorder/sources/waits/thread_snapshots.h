// Source `waits`, on a thread of its own: takes thread snapshots periodically, on request, when the
// thread pool makes no progress, for heap snapshots, and at the recording's end.
//
// Those for heap snapshots are recorded even if the source is off: a lone heap snapshot shows where
// the threads are.
//
// One snapshot at a time, and none during a heap snapshot. The period is extended so that snapshots
// cost less than a thousandth of the time. After an attach, the first one is taken at once. Each
// one also shows which thread waits for whose monitor (stack/monitor_waits.h), without a longer
// pause.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "proto/recording_fields.h"
#include "recorder/base/condition.h"
#include "recorder/base/worker.h"
#include "recorder/contract/options.h"
#include "recorder/stack/monitor_waits.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/thread_snapshot_taker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

using ThreadSnapshotTrigger = wire::ThreadSnapshot::Trigger;

struct ThreadSnapshotEvent {  // header.time_ns: when all had stopped
  EventHeader header;
  uint32_t number;
  ThreadSnapshotTrigger trigger;
  uint32_t threads;  // kThreadState events that follow
  uint32_t heap_snapshot;
  uint64_t stopping_ns, pause_ns;
  uint64_t next_ns;  // when the next periodic one is due; 0: none
};

struct ThreadStateEvent {  // kThreadState, kLockOwnerSeen; header.thread: the thread
  EventHeader header;
  uint32_t snapshot;       // 0: kLockOwnerSeen
  uint32_t stack;          // handle of the stack table, or 0
  uint32_t frames_inline;  // number of addresses that follow
  RunState state;
  bool stack_truncated;
  uint64_t cpu_ns, switches, ready_ns;
  uint64_t lock;        // the monitor that it waits to enter: the runtime's id; 0: none known
  uint32_t lock_owner;  // kernel thread id; 0: unknown, or none
};

class ThreadSnapshots {
 public:
  ThreadSnapshots(clr::ICorProfilerInfo10* info, ThreadGate& gate, const contract::Options& options,
                  Emitter& emitter, StackTable& stacks)
      : info_(info),
        gate_(gate),
        options_(options),
        emitter_(emitter),
        stacks_(stacks),
        records_(options.Has(contract::Source::kWaits)) {}

  // Whether the options need this thread at all.
  static bool Needed(const contract::Options& options) {
    return options.Has(contract::Source::kWaits) || options.Has(contract::Source::kHeap) ||
           options.Has(contract::Source::kLocks);
  }

  // Starts the thread, which runs until Stop. Returns a sentence about the failure, or an empty
  // string.
  std::string Start(std::shared_ptr<void> owner, MemoryBudget& budget);
  // When the thread has ended.
  void Close(MemoryBudget& budget) { snapshot_.Close(budget); }
  // The runtime can be suspended from now on: startup or attach is complete. `look_first`: take one
  // at once, because a hang may have started earlier.
  void Ready(bool look_first);
  // Takes a last snapshot and ends the thread. False: it has not ended within `timeout_ns`. A
  // process that is ending is suspended for it only if earlier suspensions were quick: it has to
  // end in any case.
  bool Stop(uint64_t timeout_ns, bool process_exits = false);

  struct Taken {
    uint32_t number = 0;
    uint32_t threads = 0;
    uint64_t stopping_ns = 0, pause_ns = 0;
  };
  // Control thread. Takes one now, and returns when its events are in the ring. False: a sentence
  // in `why`.
  bool Request(Taken* taken, std::string* why);

  // Any thread: the current state of the thread pool. Requests a snapshot when work items wait and
  // none has completed for a while. Never blocks.
  void PoolSampled(uint64_t queue_length, uint64_t completed);

  // Drain thread: kernel ids of threads that hold locks for which others have waited long. Their
  // stacks are recorded soon (kLockOwnerSeen), within the same cost limit. A new call replaces the
  // previous request. Never blocks for long.
  static constexpr size_t kMaxOwners = 16;  // per request; others come later
  void RequestOwners(std::span<const uint32_t> os_ids);

  // Heap snapshot's thread, right before the collection. The result is valid, and no other snapshot
  // is taken, until DoneForHeap; null: none within `timeout_ns`, and DoneForHeap must not be
  // called.
  const ThreadSnapshotTaker* TakeForHeap(uint32_t heap_snapshot, uint64_t timeout_ns);
  void DoneForHeap();

 private:
  enum class Heap : uint8_t { kNone, kRequested, kTaking, kHeld };

  void Run();
  bool StopsQuickly() const;
  // From one periodic snapshot to the next, if that is cheap enough.
  uint64_t IntervalAt(uint64_t now) const;
  bool IsDue(uint64_t now, ThreadSnapshotTrigger* trigger);
  void Make(ThreadSnapshotTrigger trigger, uint32_t heap_snapshot);
  void MakeForHeap();
  void Emit(ThreadSnapshotTrigger trigger, uint32_t heap_snapshot);
  void MakeForOwners(uint64_t now);
  bool EmitThread(ThreadTrack& track, const SnapshotThread& thread, EventKind kind,
                  const MonitorWait& wait);
  uint32_t HandleOf(std::span<const uintptr_t> frames);
  void* Reserve(ThreadTrack& track, EventKind kind, size_t bytes);

  clr::ICorProfilerInfo10* const info_;
  ThreadGate& gate_;
  const contract::Options& options_;
  Emitter& emitter_;
  StackTable& stacks_;
  const bool records_;  // the source is on; else only those for the heap are recorded
  Waker waker_;

  // Own thread.
  ThreadSnapshotTaker snapshot_;
  MonitorWaits monitor_waits_;
  uint32_t number_ = 0;
  uint64_t next_ns_ = 0;      // of the periodic ones; 0: never
  uint64_t attached_ns_ = 0;  // 0: loaded when the process started
  uint64_t no_progress_again_ns_ = 0, owners_again_ns_ = 0;
  std::array<uint32_t, 4096> met_ = {};  // hashes of stacks seen once

  std::atomic<bool> no_progress_{false};
  std::atomic<uint64_t> completed_{0}, stuck_since_ns_{0};

  std::mutex mutex_;
  Condition changed_;
  bool open_ = false, ready_ = false, stopping_ = false, requested_ = false;
  bool look_first_ = false;  // no snapshot has been taken yet
  bool exiting_ = false;     // the process is ending, not only the recording
  bool made_ = false;        // the requested one was taken
  Taken taken_;
  Heap heap_ = Heap::kNone;
  uint32_t heap_number_ = 0;
  std::array<uint32_t, kMaxOwners> owners_ = {};
  size_t owner_count_ = 0;
  Worker worker_;
};

}  // namespace hindsight::recorder
