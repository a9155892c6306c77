// How old the process was when the recording began.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analyzer/model/recording_facts.h"

namespace hindsight::analyzer {

// In nanoseconds; none: unknown. 0 also if the clocks disagree: the kernel rounds the start.
inline std::optional<uint64_t> AgeAtStart(const RecordingFacts& facts) {
  if (facts.process_started_unix_ns == 0 || facts.started_unix_ns == 0) return std::nullopt;
  return facts.started_unix_ns - std::min(facts.started_unix_ns, facts.process_started_unix_ns);
}

}  // namespace hindsight::analyzer
