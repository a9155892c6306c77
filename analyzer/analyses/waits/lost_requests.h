// Requests that nothing can complete any more: their async methods are unfinished, and no root of
// the heap reaches them or what they await. Whatever could still complete it, a timer, I/O, a
// callback, would be reached. A TaskCompletionSource that was dropped without a result looks like
// that. The next collection of their generation removes them, and their clients go on waiting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct LostRequests {
  std::string place;   // an async method: see PlaceIn
  std::string awaits;  // the type of what is awaited there
  uint64_t count = 0;
  ObjectId example = kNoObject;  // the innermost async method of one of them
};

// By place and what they await, the most first.
std::vector<LostRequests> FindLostRequests(const HeapWaits& heap);

}  // namespace hindsight::analyzer
