// Which sampled allocations are still alive: a weak handle to each object that is followed, in a
// table of fixed size. With it a heap snapshot tells where what it holds was allocated.
//
// One sample in `stride` is followed. When the table is full, the dead ones go; if that is not
// enough, every second one does and the stride doubles, so that each stands for as many as before,
// times two.
//
// What this relies on (dotnet/runtime, .NET 8 to 10):
//   - ICorProfilerInfo13 (.NET 7) makes handles in any mode and causes no collection by it. The
//     weak ones outlive finalization ("long").
//   - At the event the object has its final address, but no MethodTable yet. The thread stays in
//     cooperative mode until it has one, so no collection sees it before. Neither the handle nor
//     its write barrier looks at the object, only at its address.
//   - A handle is the address of a slot, which the collector keeps up to date: the object's
//     address, and 0 when that has died. That is checked at each handle; if it ever fails, none is
//     made any more.
//
// A stack is addresses: code that has been unloaded since has no name any more, or, where its
// memory has been used again, another one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "recorder/base/memory.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/sources/allocations.h"

namespace hindsight::recorder {

struct Survivor {
  uint64_t address;       // of the object; in the table, of the handle's slot
  uint64_t size, amount;  // as SampledAllocation
  uint64_t allocated_ns;
  uint64_t sample;  // its number among all
  uint32_t stack;   // handle of the stack table; 0: unknown
  uint32_t thread;  // os id
};

// At one moment, with the objects' addresses.
struct SurvivorsImage {
  static constexpr uint32_t kCapacity = 4096;

  bool known = false;
  AllocationSampling sampling = AllocationSampling::kUnknown;
  uint32_t stride = 1;
  uint64_t since_ns = 0;  // samples from then on were followed
  uint32_t count = 0;
  Survivor alive[kCapacity];

  std::span<const Survivor> survivors() const { return {alive, count}; }
};

class Survivors {
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

  // Application threads, inside the event of the allocation. `stack` and `thread` as in Survivor.
  void Follow(const SampledAllocation& allocation, uint32_t stack, uint32_t thread,
              uint64_t now_ns);

  // A thread of ours, now and then: frees the handles of what has died.
  void Sweep();
  // The same thread: frees all handles; none is made any more.
  void Close();

  // While all managed threads are stopped, at the end of a collection: a few microseconds.
  // `image.known` tells whether it could be read.
  void Copy(SurvivorsImage& image);

  uint64_t handles() const { return handles_.load(std::memory_order_relaxed); }  // that exist
  // Samples that were to be followed and are not: the table was in use, or could not be emptied.
  uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

 private:
  // Thinned out several times between two sweeps.
  static constexpr uint32_t kMaxUnwanted = 4 * kCapacity;
  static constexpr uint32_t kChunk = 256;  // for which the table is held

  struct Table {
    Survivor followed[kCapacity];
    clr::ObjectHandleID unwanted[kMaxUnwanted];  // to be freed
  };
  // Holds the table, if it could be had within `attempts`.
  class Hold;

  static uint64_t ObjectOf(clr::ObjectHandleID handle);
  static uint64_t ObjectOf(const Survivor& followed);
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
  // Of who holds the table, as its content.
  uint32_t count_ = 0, unwanted_count_ = 0;
  AllocationSampling sampling_ = AllocationSampling::kUnknown;
};

}  // namespace hindsight::recorder
