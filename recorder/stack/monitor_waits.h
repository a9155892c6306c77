// Which monitor each thread of a snapshot waits to enter, and which thread has it: the part of a
// heap snapshot that is about locks, without the heap. So who attaches to a process that hangs
// already sees who waits for whom, though no event tells of a wait that has begun before.
//
// Nothing is stopped for it: it reads the runtime's own data while the application runs, and tells
// only what was so at one moment. A thread that waits does not run, which its CPU time shows: it is
// told only if that is, after all has been read, what it was when the threads were stopped. So all
// that are told waited at the same time, and among them nobody took or released a lock meanwhile.
//
// Facts about the runtime, each checked where it is used (dotnet/runtime, src/coreclr/vm, .NET 8 to
// 10, 64 bit; threads.h and syncblk.h; heap/thread_scan.h and heap/monitor_table.h have them too):
// - while a thread waits to enter a monitor, or in Monitor.Wait, an item lies on its stack:
//   { sync block, AppDomain, u32 kind (0 enter, 1 wait), u32 timeout, next item }, and its Thread
//   points to it: where in the Thread, most of those that wait tell;
// - a sync block begins with u32 state (bit 0: locked), u32 entries, u64 owner (its Thread, or,
// from
//   10 on, its managed id), u64 the owner's kernel id; at 28 is its index, with a flag in the
//   highest bit. Its address is what contention events call the lock;
// - the table of sync blocks maps that index to { block, object }, and the object's header has the
//   index: the one word of the runtime's variables for which this is so leads to the table.
//
// One owner thread, which may allocate. Costs some 3 us a thread that sleeps, and once some 20 ms
// to find the table, all of it on the owner thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/base/own_memory.h"
#include "recorder/stack/thread_snapshot.h"

namespace hindsight::recorder {

struct MonitorWait {
  uint64_t lock = 0;         // the runtime's id; 0: it waits for none, or that is unknown
  uint32_t owner_os_id = 0;  // kernel thread id; 0: nobody, or not known
};

// A thread as it stood in the snapshot.
struct StoodThread {
  uint64_t clr_thread = 0;
  uint32_t os_id = 0;
  uint64_t innermost = 0;  // stack pointer of its innermost managed frame; 0: it is not looked at
  uint64_t cpu_ns = 0;     // in the pause
};

class MonitorWaits {
 public:
  // Right after `snapshot` was taken. What it finds replaces what is here.
  void Look(const ThreadSnapshot& snapshot);
  // By os_id.
  void Look(std::span<const StoodThread> threads);

  // Of the snapshot's thread with this index.
  MonitorWait Of(size_t thread) const {
    return thread < waits_.size() ? waits_[thread] : MonitorWait{};
  }

 private:
  struct Candidate {  // of an item
    size_t thread = 0;
    uint64_t offset = 0;  // in the Thread
    uint64_t block = 0;
    uint32_t index = 0, kind = 0;
    bool fits = false;
  };

  void CollectOf(size_t index, const StoodThread& thread);
  bool FindTable();
  bool FitsTable(uint64_t table, const Candidate& candidate);
  bool FindOffset();
  MonitorWait Read(const Candidate& candidate, std::span<const StoodThread> threads);

  OwnMemory memory_;
  std::vector<StoodThread> stood_;
  std::vector<Candidate> candidates_;
  std::vector<MonitorWait> waits_;  // beside the snapshot's threads
  uint64_t table_at_ = 0;           // address of the variable; 0: unknown yet
  uint64_t offset_ = 0;             // likewise
  int searches_ = 0;                // for the table
};

}  // namespace hindsight::recorder
