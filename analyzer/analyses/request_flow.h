// The requests in a part of the time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/model/requests.h"

namespace hindsight::analyzer {

struct RequestFlow {
  double in_progress = 0;            // on average
  double started = 0, finished = 0;  // a second

  // By Little's law; of those that end.
  double seconds_each() const { return in_progress / std::max(finished, 1e-3); }
};

// Of the samples after `from_ns`, up to `to_ns`.
RequestFlow FlowOf(const Requests& requests, int64_t from_ns, int64_t to_ns);

}  // namespace hindsight::analyzer
