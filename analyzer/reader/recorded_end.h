// How a recording ended, according to itself.
#pragma once

#include "analyzer/model/end_reason.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

inline EndReason EndReasonOf(const RecordingEnd& end) {
  switch (end.reason()) {
    case RecordingEnd::PROCESS_EXIT:
      return EndReason::kProcessExit;
    case RecordingEnd::STOPPED:
      return EndReason::kStopped;
    case RecordingEnd::DURATION_OVER:
      return EndReason::kDurationOver;
    case RecordingEnd::FAILED:
      return EndReason::kFailed;
    case RecordingEnd::CUT:
      return EndReason::kCut;
    default:
      return EndReason::kUnknown;
  }
}

}  // namespace hindsight::analyzer
