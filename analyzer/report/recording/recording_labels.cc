#include "analyzer/report/recording/recording_labels.h"

namespace hindsight::analyzer {

std::string_view Describe(LossCause cause) {
  switch (cause) {
    case LossCause::kRingFull:
      return "a thread produced events faster than they could be written";
    case LossCause::kMemoryCap:
      return "the memory limit was reached (limit.memory)";
    case LossCause::kDiskError:
      return "segments could not be written";
    case LossCause::kStackUnknown:
      return "recorded without stacks";
    case LossCause::kPacketTooLarge:
      return "packets too large for a segment";
    case LossCause::kEndUnknown:
      return "ends that came too late: their events are shown as still in progress";
    case LossCause::kRequestUnpaired:
      return "requests of which only the start or only the end was seen: counted, but without "
             "details";
    case LossCause::kUnknown:
      break;
  }
  return "unknown cause";
}

std::string_view Describe(EndReason reason) {
  switch (reason) {
    case EndReason::kProcessExit:
      return "the process ended";
    case EndReason::kStopped:
      return "stopped on request";
    case EndReason::kDurationOver:
      return "its duration elapsed";
    case EndReason::kCut:
      return "cut here: the original recording continues";
    case EndReason::kFailed:
      return "the recorder failed; see the notes";
    case EndReason::kBrokeOff:
    case EndReason::kUnknown:
      break;
  }
  return "for an unknown reason";
}

Object<CountedEvents> CountedFields() {
  return {
      {"throws", "Of exceptions", &CountedEvents::throws},
      {"counted_throws", "Of these, without details", &CountedEvents::counted_throws},
      {"waits", "For locks and the like", &CountedEvents::waits},
      {"counted_waits", "Of these, without details", &CountedEvents::counted_waits},
  };
}

std::vector<std::pair<std::string_view, uint64_t>> LostEventsOf(const RecordingSummary& summary) {
  std::vector<std::pair<std::string_view, uint64_t>> events;
  for (const auto& [cause, count] : summary.lost_events) {
    events.emplace_back(NameOf(kLossCauses, cause), count);
  }
  return events;
}

}  // namespace hindsight::analyzer
