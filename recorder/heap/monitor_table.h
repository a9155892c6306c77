// The runtime's table of sync blocks, located and read in a copy of the process.
//
// An object whose lock was contended, or that was used with Monitor.Wait, has a sync block, and the
// block's index in its header. The table (g_pSyncTable) maps the index to the block and back to the
// object. The table has no exported name: it is the one word of the runtime's variables that points
// to a table which maps the index of every such object back to that object. The content of a block
// is checked as well: its own index, and that an owner's ids belong to the same thread.
//
// Layout (dotnet/runtime, src/coreclr/vm/syncblk.h, .NET 8 to 10, 64 bit): a table entry is
// { block, object }; the lowest bit of `object` marks a free one. A block begins with its
// AwareLock: u32 state (bit 0 locked, from bit 6 on the number of waiters), u32 times that the
// owner has entered, then the owner: its Thread (8, 9) or its managed id (10), u64 its OS id; at
// offset 28 its index, whose highest bit is a flag.
//
// Async-signal-safe, no allocation. One thread.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/heap/heap_walk.h"
#include "recorder/heap/readable.h"
#include "recorder/heap/thread_memory.h"

namespace hindsight::recorder {

class MonitorTable {
 public:
  // `walk` has found the classes, and filled memory.notes.
  MonitorTable(ThreadMemory& memory, const HeapWalk& walk) : memory_(memory), walk_(walk) {}

  // Finds the table and checks it against all objects. Finding none is not a fault if there are no
  // blocks.
  MonitorFault Find();
  // The object whose block is at this address; 0: none. After Find.
  uint64_t ObjectOfBlock(uint64_t block);
  // After Find, and after the threads have their managed ids: fills memory.monitors with all
  // monitors that are held or waited for.
  MonitorFault ReadMonitors();

 private:
  struct Entry {
    uint64_t block;
    uint64_t object;
  };

  bool ReadEntry(uint64_t table, uint32_t index, Entry& entry);
  bool Fits(uint64_t table, const MarkedObject& object);
  bool NamesIndex(uint64_t block, uint32_t index);
  MonitorFault CheckAll();
  MonitorFault ReadBlock(const Entry& entry);
  void ReadThinLocks();
  bool Add(const FoundMonitor& monitor);

  ThreadMemory& memory_;
  const HeapWalk& walk_;
  MemoryReader reader_;
  uint64_t table_ = 0;
};

// In memory.threads; null: none.
const ScannedThread* ThreadOfOsId(const ThreadMemory& memory, uint64_t os_id);
const ScannedThread* ThreadOfManagedId(const ThreadMemory& memory, uint32_t managed_id);

}  // namespace hindsight::recorder
