// Which sampled allocations are still alive: a weak handle for each followed object, in a table of
// fixed size. With it, a heap snapshot shows where its objects were allocated.
//
// One sample in `stride` is followed. When the table is full, dead ones are removed; if that is not
// enough, every second one is removed and the stride doubles, so that each one represents twice as
// many samples.
//
// What this relies on (dotnet/runtime, .NET 8 to 10):
// - ICorProfilerInfo13 (.NET 7) creates handles in any mode, without causing a collection. The weak
//   ones outlive finalization ("long").
// - At the event the object has its final address, but no MethodTable yet. The thread stays in
//   cooperative mode until it has one, so no collection sees it earlier. Neither the handle nor its
//   write barrier looks at the object, only at its address.
// - A handle is the address of a slot that the collector keeps up to date: it contains the object's
//   address, or 0 if that has died. This is checked for each handle; if it ever fails, no more
//   handles are created.
//
// A stack is a list of addresses: code that has been unloaded since has no name any more, or, if
// its memory was reused, another one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "recorder/base/memory.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/sources/allocations/allocations.h"

namespace hindsight::recorder {

struct TrackedObject {
  uint64_t address;       // of the object; in the table, of the handle's slot
  uint64_t size, amount;  // as in SampledAllocation
  uint64_t allocated_ns;
  uint64_t sample;  // its number among all samples
  uint32_t stack;   // handle of the stack table; 0: unknown
  uint32_t thread;  // os id
};

// At one moment, with the objects' addresses.
struct SurvivorsImage {
  static constexpr uint32_t kCapacity = 4096;

  bool known = false;
  AllocationSampling sampling = AllocationSampling::kUnknown;
  uint32_t stride = 1;
  uint64_t since_ns = 0;  // samples were followed from then on
  uint32_t count = 0;
  TrackedObject alive[kCapacity];

  std::span<const TrackedObject> survivors() const { return {alive, count}; }
};

class SurvivorTracker {
 public:
  static constexpr uint32_t kCapacity = SurvivorsImage::kCapacity;

  static bool Wanted(const contract::Options& options) {
    return options.Has(contract::Source::kHeap) && options.Has(contract::Source::kAllocations) &&
           options.allocation_survivors;
  }

  // Before the first event. False: the runtime has no handles for profilers, or there is no memory.
  bool Open(clr::ICorProfilerInfo10* info, MemoryBudget& budget);
  // When no callback can run any more.
  void Release(MemoryBudget& budget);

  // Application threads, inside the event of the allocation. `stack` and `thread` as in
  // TrackedObject.
  void Follow(const SampledAllocation& allocation, uint32_t stack, uint32_t thread,
              uint64_t now_ns);

  // A recorder thread, from time to time: frees the handles of dead objects.
  void Sweep();
  // The same thread: frees all handles; no more are created.
  void Close();

  // While all managed threads are suspended, at the end of a collection: a few microseconds.
  // `image.known` says whether the table could be read.
  void Copy(SurvivorsImage& image);

  uint64_t handles() const { return handles_.load(std::memory_order_relaxed); }  // in use
  // Samples that should have been followed but are not: the table was in use, or could not be
  // cleared.
  uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

 private:
  // Enough for several removals between two sweeps.
  static constexpr uint32_t kMaxUnwanted = 4 * kCapacity;
  static constexpr uint32_t kChunk = 256;  // processed per lock of the table

  struct Table {
    TrackedObject followed[kCapacity];
    clr::ObjectHandleID unwanted[kMaxUnwanted];  // to be freed
  };
  // Locks the table, if that succeeds within `attempts`.
  class Hold;

  static uint64_t ObjectOf(clr::ObjectHandleID handle);
  static uint64_t ObjectOf(const TrackedObject& followed);
  bool MakeRoom();
  void Drop(uint32_t index);
  void DropDead(uint32_t from, uint32_t to);
  bool FreeSome();

  clr::ICorProfilerInfo13* info_ = nullptr;
  Table* table_ = nullptr;
  uint64_t since_ns_ = 0;
  std::atomic<bool> open_{false};
  std::atomic<uint64_t> samples_{0};
  std::atomic<uint32_t> stride_{1};
  std::atomic<uint64_t> handles_{0}, missed_{0};

  std::atomic<bool> held_{false};
  // Guarded by the table's lock, like its content.
  uint32_t count_ = 0, unwanted_count_ = 0;
  AllocationSampling sampling_ = AllocationSampling::kUnknown;
};

}  // namespace hindsight::recorder
