// Where the live objects of a heap snapshot were allocated, as far as they were sampled.
//
// Weights are estimates, like those of AllocationReport. An object was sampled with probability q
// and followed with probability 1/stride, so it represents stride/q objects; the errors result from
// both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct RetainedType {
  std::string name;  // types with the same name are merged
  PathWeight weight;
  FrameId site = 0;  // that allocated most of it
  PathWeight site_weight;
  // Ages of the samples at the snapshot.
  uint64_t youngest_ns = 0, median_age_ns = 0, oldest_ns = 0;
};

struct RetainedAllocations {
  PathWeight whole;        // everything that passes the filters
  PathWeight unreachable;  // the part that no root reaches: the next collection frees it
  uint64_t median_age_ns = 0;
  std::vector<RetainedType> types;  // ordered by bytes
  // As requested: all paths, those below the focus, or the callers.
  CallPaths paths;
  std::vector<MethodWeight> methods;  // ordered by self
};

// Uses these parts of `query`: type, focus, bottom_up, paths.
RetainedAllocations AnalyzeRetainedAllocations(const HeapModel& model, const RootPaths& roots,
                                               const AllocationQuery& query);

}  // namespace hindsight::analyzer
