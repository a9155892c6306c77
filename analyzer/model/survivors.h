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
  CallId call = 0;      // of Survivors::calls; 0 not known
  uint64_t age_ns = 0;  // at the snapshot
  uint64_t size = 0;    // bytes of the object, as it was allocated
  double objects = 0;   // that it stands for
  double bytes = 0;     // that they have
};

struct Survivors {
  bool recorded = false;  // the snapshot says which there are, be it none
  AllocationProfile::Sampling sampling = AllocationProfile::Sampling::kUnknown;
  uint64_t mean_bytes = 0;   // as AllocationProfile
  uint32_t stride = 1;       // one sample in so many was followed
  uint64_t followed_ns = 0;  // before the snapshot: what is older is not here; 0 not known
  CallTree calls;
  std::vector<Survivor> samples;  // by object, each once
  // Left out: at their address no object begins, or a younger one does.
  uint64_t misplaced = 0;
};

}  // namespace hindsight::analyzer
