// All segments of a recording in one pass, with progress.
#pragma once

#include <functional>

#include "analyzer/reader/read_ahead.h"
#include "analyzer/reader/segment_index.h"

namespace hindsight::analyzer {

class Progress;

// Calls `take` with each body that passed its checks, in order; the others are marked invalid in
// the index, which has to be summarized afterwards. Returns what is wrong with the first of these,
// as a clause; null: all are valid. `progress` may be null.
const char* ForEachBody(SegmentIndex& index, Progress* progress,
                        const std::function<void(const CheckedBody&)>& take);

}  // namespace hindsight::analyzer
