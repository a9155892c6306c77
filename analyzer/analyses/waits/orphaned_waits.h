// Async methods that wait for a task that nothing can complete any more, although they are alive:
// only what awaits that task leads to it. A TaskCompletionSource that was dropped without a result
// looks like that; so does, from .NET 10 on, the Task.Run of a BackgroundService whose ExecuteAsync
// awaits one; a Task.WhenAll of async methods that wait for each other, and that a collection has
// removed; a semaphore that a method enters twice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct OrphanedWait {
  enum class For : uint8_t {
    kPromise,     // of a TaskCompletionSource, or of a service's Task.Run
    kNotStarted,  // a task on which nobody has called Start
    kGone,        // a Task.WhenAll or the like: what it waited for is no longer alive
    kSemaphore,
  };
  For what = For::kPromise;
  bool blocks_thread = false;  // until it is done
  std::string service;         // the type of the BackgroundService that it belongs to; empty: none
  std::string place;           // an async method: see PlaceIn
  bool is_yours = false;       // the place is
  std::string awaits;          // the type of what is awaited
  uint64_t count = 0;
  ObjectId example = kNoObject;  // the innermost async method of one of them
};

// By place, the service, and what they await; the most first. Left out: a promise that a Main waits
// for by itself, as one does that is to wait for ever. A visit to every reference of the heap.
// `dominators`: by object, its immediate dominator, or an id that is none of an object. With them,
// also what is reached through other objects that only the methods hold; may be empty.
std::vector<OrphanedWait> FindOrphanedWaits(const HeapWaits& heap,
                                            std::span<const ObjectId> dominators);

}  // namespace hindsight::analyzer
