// Which monitor each thread of a snapshot is waiting to enter, and which thread holds it: the lock
// part of a heap snapshot, without the heap. So attaching to a process that already hangs shows
// which thread waits for which, although there is no event for a wait that began before the attach.
//
// Nothing is suspended for it. It reads the runtime's own data while the application runs, and
// reports only what was true at one moment. A waiting thread does not run, which its CPU time
// shows: it is reported only if that is unchanged, after everything has been read, since the
// threads were suspended. So all reported threads waited at the same time, and none of them took or
// released a lock in between.
//
// Facts about the runtime, each checked where it is used (dotnet/runtime, src/coreclr/vm, .NET 8 to
// 10, 64 bit; threads.h and syncblk.h; see also heap/thread_scan.h and heap/monitor_table.h):
// - While a thread waits to enter a monitor, or in Monitor.Wait, an item is on its stack: { sync
//   block, AppDomain, u32 kind (0 enter, 1 wait), u32 timeout, next item }, and its Thread points
//   to it. The offset of that pointer is the one found for most waiting threads.
// - A sync block begins with u32 state (bit 0: locked), u32 entries, u64 owner (its Thread, or,
//   from 10 on, its managed id), u64 the owner's kernel id; at offset 28 is its index, with a flag
//   in the highest bit. Contention events use its address as the lock's id.
// - The table of sync blocks maps that index to { block, object }, and the object's header has the
//   index. The one word of the runtime's variables for which this holds points to the table.
//
// One owner thread, which may allocate. Costs about 3 us per sleeping thread, and once about 20 ms
// to find the table, all on the owner thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/base/own_memory.h"
#include "recorder/stack/thread_snapshot_taker.h"

namespace hindsight::recorder {

struct MonitorWait {
  uint64_t lock = 0;         // the runtime's id; 0: none, or unknown
  uint32_t owner_os_id = 0;  // kernel thread id; 0: none, or unknown
};

// A thread as it was in the snapshot.
struct WaitingThread {
  uint64_t clr_thread = 0;
  uint32_t os_id = 0;
  uint64_t innermost = 0;  // stack pointer of its innermost managed frame; 0: not checked
  uint64_t cpu_ns = 0;     // at the pause
};

class MonitorWaits {
 public:
  // Right after `snapshot` was taken. Replaces the previous results.
  void Look(const ThreadSnapshotTaker& snapshot);
  // Sorted by os_id.
  void Look(std::span<const WaitingThread> threads);

  // The wait of the snapshot's thread with this index.
  MonitorWait Of(size_t thread) const {
    return thread < waits_.size() ? waits_[thread] : MonitorWait{};
  }

 private:
  struct Candidate {  // possible offset of an item pointer
    size_t thread = 0;
    uint64_t offset = 0;  // in the Thread
    uint64_t block = 0;
    uint32_t index = 0, kind = 0;
    bool fits = false;
  };

  void CollectOf(size_t index, const WaitingThread& thread);
  bool FindTable();
  bool FitsTable(uint64_t table, const Candidate& candidate);
  bool FindOffset();
  MonitorWait Read(const Candidate& candidate, std::span<const WaitingThread> threads);

  OwnMemory memory_;
  std::vector<WaitingThread> waiting_;
  std::vector<Candidate> candidates_;
  std::vector<MonitorWait> waits_;  // parallel to the snapshot's threads
  uint64_t table_at_ = 0;           // address of the variable; 0: unknown yet
  uint64_t offset_ = 0;             // likewise
  int searches_ = 0;                // for the table
};

}  // namespace hindsight::recorder
