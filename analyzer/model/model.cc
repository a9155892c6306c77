#include "analyzer/model/model.h"

namespace hindsight::analyzer {

std::string_view EndName(RecordingFacts::End end) {
  switch (end) {
    case RecordingFacts::End::kBrokeOff:
      return "broke_off";
    case RecordingFacts::End::kProcessExit:
      return "process_exit";
    case RecordingFacts::End::kStopped:
      return "stopped";
    case RecordingFacts::End::kDurationOver:
      return "duration_over";
    case RecordingFacts::End::kCut:
      return "cut";
    case RecordingFacts::End::kFailed:
      return "failed";
    case RecordingFacts::End::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace hindsight::analyzer
