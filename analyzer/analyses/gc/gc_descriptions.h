// Text for GC reasons and findings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/analyses/gc/gc.h"

namespace hindsight::analyzer {

// "gen2, blocking", "a debugger": what a pause was for.
std::string_view PauseKindLabel(PauseKind kind);
// "gen2_blocking": for JSON.
std::string_view PauseKindKey(PauseKind kind);

// "a budget for small objects ran out", "GC.Collect": why a collection ran, as a short clause.
std::string GcReasonLabel(int32_t reason, bool induced);

// "gen0" ... "gen2", "large", "pinned": an index into CollectionRow::generations.
std::string_view GenerationLabel(size_t generation);

// One finding: a heading without numbers, what was seen, and what to do about it.
struct GcSentences {
  std::string title;
  std::string evidence;
  std::string next;
};
GcSentences DescribeGcFinding(const GcReport& report, const GcFinding& finding);
// "induced", "blocking_gen2": for JSON.
std::string_view GcFindingKey(GcFinding::Kind kind);

// "Called by Shop.PictureStore.Tidy (50 times).": who requested collections; empty: unknown.
std::string CollectCallersText(const GcReport& report);

// Whether all is well and, if not, what it costs: the report's first sentences.
std::string GcVerdict(const GcReport& report);

}  // namespace hindsight::analyzer
