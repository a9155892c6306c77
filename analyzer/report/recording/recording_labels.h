// Names and clauses for what a recording says about itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/fields/fields.h"
#include "analyzer/model/recording_summary.h"

namespace hindsight::analyzer {

inline constexpr Named<RecorderMode> kRecorderModes[] = {
    {RecorderMode::kStartup, "startup"},
    {RecorderMode::kAttach, "attach"},
    {RecorderMode::kUnknown, "unknown"},
};
inline constexpr Named<LossCause> kLossCauses[] = {
    {LossCause::kRingFull, "ring_full"},
    {LossCause::kMemoryCap, "memory_cap"},
    {LossCause::kDiskError, "disk_error"},
    {LossCause::kStackUnknown, "stack_unknown"},
    {LossCause::kPacketTooLarge, "packet_too_large"},
    {LossCause::kEndUnknown, "end_unknown"},
    {LossCause::kRequestUnpaired, "request_unpaired"},
    {LossCause::kUnknown, "unknown"},
};

// As a clause for display: "segments could not be written".
std::string_view Describe(LossCause cause);
std::string_view Describe(EndReason reason);

Object<CountedEvents> CountedFields();
// By cause.
std::vector<std::pair<std::string_view, uint64_t>> LostEventsOf(const RecordingSummary& summary);

}  // namespace hindsight::analyzer
