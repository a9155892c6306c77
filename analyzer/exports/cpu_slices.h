// CPU samples as calls with a start and an end, for timeline viewers.
//
// A sample shows what ran during the CPU time before it. Neighbors on a thread, with nothing
// between them, that have the same frames from the outermost on are one call of these.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct CpuSlice {
  ThreadIndex thread = 0;
  MethodId method = 0;
  int64_t from_ns = 0, to_ns = 0;
};

// A stretch in which a thread stood still, or waited. Slices lie inside of one or outside of all.
struct Standstill {
  int64_t from_ns = 0, to_ns = 0;
};

// Calls `on_slice` for each: by thread, callers before what they call where they begin at the same
// time. `standstills`: by thread, in order, not overlapping. Samples from `samples` count as
// which `is_asked_for` holds. Memory: 4 bytes a sample.
void ForEachCpuSlice(const Model& model, const std::function<bool(const CpuSample&)>& is_asked_for,
                     const std::vector<std::vector<Standstill>>& standstills,
                     const std::function<void(const CpuSlice&)>& on_slice);

}  // namespace hindsight::analyzer
