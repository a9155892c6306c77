// Sampled allocations whose objects were alive at a heap snapshot.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/call_tree.h"
#include "analyzer/model/heap_types.h"
#include "analyzer/model/samples.h"

namespace hindsight::analyzer {

struct Survivor {
  ObjectId object = kNoObject;
  CallId call = 0;      // of Survivors::calls; 0: unknown
  uint64_t age_ns = 0;  // at the snapshot
  uint64_t size = 0;    // bytes of the object, as allocated
  double objects = 0;   // that it represents
  double bytes = 0;     // of those objects
};

struct Survivors {
  bool recorded = false;  // the snapshot lists them, even if there are none
  AllocationProfile::Sampling sampling = AllocationProfile::Sampling::kUnknown;
  uint64_t mean_bytes = 0;   // as in AllocationProfile
  uint32_t stride = 1;       // one sample in this many was followed
  uint64_t followed_ns = 0;  // before the snapshot: older objects are not here; 0: unknown
  CallTree calls;
  std::vector<Survivor> samples;  // ordered by object, each once
  // Excluded: no object begins at their address, or a younger one does.
  uint64_t misplaced = 0;
};

}  // namespace hindsight::analyzer
