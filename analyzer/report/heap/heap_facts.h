// What a recording says about a snapshot as a whole, in one line and as a clause.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/fields/named.h"
#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

inline constexpr Named<HeapFacts::Trigger> kHeapTriggers[] = {
    {HeapFacts::Trigger::kRequested, "requested"},
    {HeapFacts::Trigger::kPeriodic, "periodic"},
    {HeapFacts::Trigger::kGrowth, "growth"},
    {HeapFacts::Trigger::kUnknown, "unknown"},
};
inline constexpr Named<HeapFacts::Method> kHeapMethods[] = {
    {HeapFacts::Method::kFork, "fork"},        {HeapFacts::Method::kForkPassive, "fork_passive"},
    {HeapFacts::Method::kInPause, "in_pause"}, {HeapFacts::Method::kCallbacks, "callbacks"},
    {HeapFacts::Method::kUnknown, "unknown"},
};
inline constexpr Named<HeapFacts::RootsMethod> kRootsMethods[] = {
    {HeapFacts::RootsMethod::kDocumented, "documented"},
    {HeapFacts::RootsMethod::kCalibrated, "calibrated"},
    {HeapFacts::RootsMethod::kUnknown, "unknown"},
};
inline constexpr Named<HeapFacts::Result> kHeapResults[] = {
    {HeapFacts::Result::kComplete, "complete"},
    {HeapFacts::Result::kNoCertificate, "no_certificate"},
    {HeapFacts::Result::kStoppedByTime, "stopped_by_time"},
    {HeapFacts::Result::kStoppedByMemory, "stopped_by_memory"},
    {HeapFacts::Result::kStoppedByDisk, "stopped_by_disk"},
    {HeapFacts::Result::kStoppedByRequest, "stopped_by_request"},
    {HeapFacts::Result::kChildDied, "child_died"},
    {HeapFacts::Result::kCheckFailed, "check_failed"},
};

// Follows "the snapshot": "was stopped at its time limit".
std::string_view ResultClause(HeapFacts::Result result);

// 10,000,000 objects, 712 MiB, pause 18 ms (fork), complete
std::string HeapFactsLine(const HeapFacts& facts);

}  // namespace hindsight::analyzer
