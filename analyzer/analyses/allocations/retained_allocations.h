// Where the live objects of a heap snapshot were allocated, as far as they were sampled.
//
// Weights are estimates, as those of AllocationReport. An object was sampled with probability q and
// followed with 1/stride, so it stands for stride/q objects; their errors follow from both.
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
  std::string name;  // types of one name are one
  PathWeight weight;
  FrameId site = 0;  // that allocated most of it
  PathWeight site_weight;
  // Of the samples, at the snapshot.
  uint64_t youngest_ns = 0, median_age_ns = 0, oldest_ns = 0;
};

struct RetainedAllocations {
  PathWeight whole;        // that passes the filters
  PathWeight unreachable;  // likewise, but that no root reaches: the next collection frees it
  uint64_t median_age_ns = 0;
  std::vector<RetainedType> types;  // by bytes
  // As asked: all paths, those below the focus, or the callers.
  CallPaths paths;
  std::vector<MethodWeight> methods;  // by self
};

// Of `query`: type, focus, bottom_up, paths.
RetainedAllocations AnalyzeRetainedAllocations(const HeapModel& model, const RootPaths& roots,
                                               const AllocationQuery& query);

}  // namespace hindsight::analyzer
