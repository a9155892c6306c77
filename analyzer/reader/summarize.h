// What a recording says about itself, from one pass over all packets.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/model/recording_summary.h"

namespace hindsight::analyzer {

class Progress;
class Recording;

// Reads all of `recording`, so that its integrity() is complete afterwards. `progress` may be null.
Result<RecordingSummary> Summarize(Recording& recording, Progress* progress);

}  // namespace hindsight::analyzer
