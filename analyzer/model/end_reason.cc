#include "analyzer/model/end_reason.h"

namespace hindsight::analyzer {

std::string_view EndName(EndReason end) {
  switch (end) {
    case EndReason::kBrokeOff:
      return "broke_off";
    case EndReason::kProcessExit:
      return "process_exit";
    case EndReason::kStopped:
      return "stopped";
    case EndReason::kDurationOver:
      return "duration_over";
    case EndReason::kCut:
      return "cut";
    case EndReason::kFailed:
      return "failed";
    case EndReason::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace hindsight::analyzer
