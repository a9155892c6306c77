// Async methods that wait for a task that nothing can complete any more, although they are alive:
// only what awaits that task refers to it. A TaskCompletionSource that was dropped without a result
// looks like that; so does, from .NET 10 on, the Task.Run of a BackgroundService whose ExecuteAsync
// awaits one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct OrphanedWait {
  std::string service;    // the type of the BackgroundService that it belongs to; empty: none
  std::string place;      // an async method: see PlaceIn
  bool is_yours = false;  // the place is
  std::string awaits;     // the type of what is awaited
  uint64_t count = 0;
  ObjectId example = kNoObject;  // the innermost async method of one of them
};

// By place, the service, and what they await; the most first. Left out: what a thread waits for, as
// a Main does that is to wait for ever. A visit to every reference of the heap.
std::vector<OrphanedWait> FindOrphanedWaits(const HeapWaits& heap);

}  // namespace hindsight::analyzer
