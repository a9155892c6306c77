// The threads of a copied process: their identity, the monitor that each waits for, and the objects
// that their stacks refer to.
//
// Three facts about the runtime, each checked where it is used (dotnet/runtime, src/coreclr/vm;
// .NET 8 to 10, 64 bit):
// - A Thread (threads.h) holds the handle of its managed object, whose field
//   _DONT_USE_InternalThread is the address of the Thread; after it come two ints, the second of
//   which is the managed id (object.h, ThreadBaseObject). The handle's offset in a Thread is taken
//   from the first thread for which all this holds, and the others must agree.
// - While a thread waits to enter a monitor, or in Monitor.Wait, a DebugBlockingItem (threads.h) is
//   on its stack: { block, AppDomain, u32 kind (0 enter, 1 wait), u32 timeout, next item }, and its
//   Thread points to it. The offset of that pointer is the one found for most waiting threads; the
//   AppDomain is the same in all.
// - The stack of a thread that has not run since it was walked is unchanged. The recorder checks
//   that, by the thread's CPU time.
//
// Async-signal-safe, no allocation. One thread.
#pragma once

#include <cstdint>

#include "recorder/heap/heap_walk.h"
#include "recorder/heap/monitor_table.h"
#include "recorder/heap/readable.h"
#include "recorder/heap/thread_memory.h"

namespace hindsight::recorder {

class ThreadScan {
 public:
  ThreadScan(ThreadMemory& memory, const HeapWalk& walk) : memory_(memory), walk_(walk) {}

  // Fills managed_id of all threads.
  void FindManagedIds();
  // Fills waiting_monitor of all threads. False: the items are not where they should be, and none
  // is reported.
  bool FindWaits(MonitorTable& monitors);
  // Fills memory.objects.
  void FindObjects();

 private:
  struct Item {
    uint64_t object = 0;  // whose monitor it is; 0: not an item
    uint64_t app_domain = 0;
  };

  uint64_t ManagedIdAt(uint64_t thread, uint64_t handle_offset);
  bool FindItemOffset(MonitorTable& monitors);
  Item ItemAt(const ScannedThread& thread, uint64_t offset, MonitorTable& monitors);
  bool IsNew(const ScannedThread& thread, uint64_t address) const;
  void ScanOne(ScannedThread& thread);

  ThreadMemory& memory_;
  const HeapWalk& walk_;
  MemoryReader reader_;
  uint64_t handle_offset_ = 0;  // in a Thread; 0: unknown yet
  uint64_t item_offset_ = 0;    // likewise; also 0 if no thread waits
};

// In a snapshot's child, after the first walk: all of the above.
void ReadThreads(ThreadMemory& memory, const HeapWalk& walk);

}  // namespace hindsight::recorder
