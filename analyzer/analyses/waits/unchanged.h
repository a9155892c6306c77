// How long a thread has had its stack without running, according to a thread snapshot.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

// In nanoseconds; 0: it has run since the previous snapshot.
inline uint64_t UnchangedNs(const ThreadSnapshot& snapshot, const ThreadInSnapshot& thread) {
  return static_cast<uint64_t>(std::max<int64_t>(0, snapshot.at_ns - thread.unchanged_since_ns));
}

}  // namespace hindsight::analyzer
