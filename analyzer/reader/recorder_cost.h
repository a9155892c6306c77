// The recorder's cost as recorded, in three numbers.
#pragma once

#include <cstdint>

#include "analyzer/model/recording_summary.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// `samples_suspend`: a sample takes no CPU time of its thread, which waits for all of it.
inline CostParts CostPartsOf(const RecorderCost& cost, bool samples_suspend) {
  const bool reported =
      (cost.callbacks() == 0 || cost.callback_cpu_ns() != 0) &&
      (cost.cpu_samples() == 0 || cost.cpu_handler_cpu_ns() != 0 || samples_suspend);
  CostParts parts = {.is_cpu_time = reported, .own_cpu_ns = cost.thread_cpu_ns()};
  const auto add = [&](uint64_t length_ns, uint64_t cpu_ns) {
    const uint64_t ran_ns = reported && cpu_ns < length_ns ? cpu_ns : length_ns;
    parts.application_cpu_ns += ran_ns;
    parts.waited_ns += length_ns - ran_ns;
  };
  add(cost.callback_ns(), cost.callback_cpu_ns());
  if (samples_suspend) {
    parts.waited_ns += cost.cpu_handler_ns();
  } else {
    add(cost.cpu_handler_ns(), cost.cpu_handler_cpu_ns());
  }
  parts.paused_ns = cost.paused_ns();
  return parts;
}

}  // namespace hindsight::analyzer
