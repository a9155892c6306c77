#include "analyzer/model/recording_summary.h"

namespace hindsight::analyzer {

uint64_t RecordingSummary::DroppedEvents() const {
  uint64_t dropped = 0;
  for (const auto& [cause, count] : lost_events) {
    if (cause == LossCause::kStackUnknown || cause == LossCause::kEndUnknown ||
        cause == LossCause::kRequestUnpaired) {
      continue;
    }
    if (__builtin_add_overflow(dropped, count, &dropped)) return UINT64_MAX;
  }
  return dropped;
}

std::optional<double> RecordingSummary::CoresUsed() const {
  if (!cost || cost->elapsed_ns == 0) return {};
  return static_cast<double>(cost->parts.cpu_ns()) / static_cast<double>(cost->elapsed_ns);
}

}  // namespace hindsight::analyzer
