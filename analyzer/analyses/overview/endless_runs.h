// Pool workers that do not come back from a method: an endless loop, or extremely long work.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// A thread with `method` in every CPU sample of a time that lasts until the end of the recording,
// and that was never without work in it: between two thread snapshots it ran, or was ready to run,
// all the time. Work that ends shows other methods now and then, or the thread idles. Where many
// threads share the processors, a run of little CPU time may be one call after another: it is none.
struct EndlessRun {
  uint32_t thread = 0;  // ThreadIndex
  int64_t from_ns = 0, to_ns = 0;
  uint64_t samples = 0, cpu_ns = 0;
};

// The longest first.
std::vector<EndlessRun> EndlessRunsIn(const Model& model, MethodId method,
                                      const OverviewRules& rules);

}  // namespace hindsight::analyzer
