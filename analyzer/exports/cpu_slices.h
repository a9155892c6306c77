// CPU samples as calls with a start and an end, for timeline viewers.
//
// A sample shows what ran during the CPU time before it. Neighboring samples of a thread that have
// the same frames from the outermost on are one call of these, if nothing is between them.
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

// A period in which a thread was stopped, or waited. Slices are entirely inside or entirely outside
// of one.
struct Standstill {
  int64_t from_ns = 0, to_ns = 0;
};

// Calls `on_slice` for each slice: by thread, callers before their callees if they begin at the
// same time. `standstills`: by thread, in order, without overlaps. Uses the samples for which
// `is_asked_for` is true. Memory: 4 bytes per sample.
void ForEachCpuSlice(const Model& model, const std::function<bool(const CpuSample&)>& is_asked_for,
                     const std::vector<std::vector<Standstill>>& standstills,
                     const std::function<void(const CpuSlice&)>& on_slice);

}  // namespace hindsight::analyzer
