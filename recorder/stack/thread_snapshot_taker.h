// All managed threads at one moment: their identity, CPU time and stacks.
//
// The runtime is suspended for it (SuspendRuntime), as for a collection: threads stop at safepoints
// of managed code, or continue in native code until they want to return. So no thread is stopped in
// the middle of malloc or while holding a lock of libc, and the runtime's own walk may take the
// locks it needs. Even so, nothing is allocated here during the pause.
//
// A thread that has not run since the last snapshot (its CPU time is the same, to the nanosecond)
// has the same stack and is not walked again. So the cost of a snapshot depends on the threads that
// run, not on those that wait.
//
// One owner thread, which must not be a managed thread (starting an EventPipe session makes it one;
// EnumThreads then fails on it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "recorder/base/memory.h"
#include "recorder/base/thread_run.h"
#include "recorder/clr/info.h"
#include "recorder/names/thread_gate.h"

namespace hindsight::recorder {

struct SnapshotFrame {
  uintptr_t ip = 0;  // may be marked as guessed (guessed_frame.h)
  uintptr_t sp = 0;  // stack pointer in this frame; 0: not reported by the runtime
};

struct SnapshotThread {
  clr::ThreadID clr_thread = 0;
  uint32_t os_id = 0;
  uint32_t first_frame = 0;
  uint32_t frame_count = 0;  // 0: no managed frame, or the runtime refused to walk it
  bool truncated = false;    // the outermost frames are missing
  ThreadRun run;             // the state just before the pause, the CPU time in it
};

class ThreadSnapshotTaker {
 public:
  static constexpr size_t kMaxThreads = 1u << 13;

  // False: no memory under the budget's cap.
  bool Open(MemoryBudget& budget);
  void Close(MemoryBudget& budget);

  // Owner, not inside a callback. Suspends all threads and walks them, replacing the previous
  // content. False: the runtime refused to suspend them.
  bool Take(clr::ICorProfilerInfo10* info, ThreadGate& gate);

  std::span<const SnapshotThread> threads() const { return {threads_, thread_count_}; }
  // Innermost first; valid until the next Take, like the threads.
  std::span<const SnapshotFrame> frames(const SnapshotThread& thread) const {
    return {frames_ + thread.first_frame, thread.frame_count};
  }

  size_t walked() const { return walked_; }              // threads that the runtime walked
  uint64_t taken_ns() const { return taken_ns_; }        // when the last thread had stopped
  uint64_t stopping_ns() const { return stopping_ns_; }  // from the request until then
  uint64_t pause_ns() const { return pause_ns_; }        // from the request until they ran again

 private:
  struct Walk;
  struct Known {
    uint32_t os_id;
    ThreadRun run;
  };

  void KeepPrevious();
  const SnapshotThread* Previous(uint32_t os_id) const;
  void ReadRuns(ThreadGate& gate);
  void WalkAll(clr::ICorProfilerInfo10* info);
  void WalkOne(clr::ICorProfilerInfo10* info, SnapshotThread& thread, uint64_t deadline_ns);
  void AddRuns();

  SnapshotThread* threads_ = nullptr;   // sorted by os_id
  SnapshotThread* previous_ = nullptr;  // likewise, of the previous snapshot
  Known* known_ = nullptr;              // read before the pause; sorted by os_id
  SnapshotFrame* frames_ = nullptr;
  size_t mapped_bytes_ = 0;
  size_t frame_capacity_ = 0;
  size_t thread_count_ = 0, previous_count_ = 0, known_count_ = 0, frame_count_ = 0;
  size_t walked_ = 0;
  void* mapped_ = nullptr;
  uint64_t taken_ns_ = 0, stopping_ns_ = 0, pause_ns_ = 0;
};

}  // namespace hindsight::recorder
