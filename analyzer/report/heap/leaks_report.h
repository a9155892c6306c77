// The output of `hindsight leaks`, as text and as JSON. Pure functions.
#pragma once

#include <string>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/fields/named.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

inline constexpr Named<LeakConfidence> kLeakConfidences[] = {{LeakConfidence::kHigh, "high"},
                                                             {LeakConfidence::kMedium, "medium"},
                                                             {LeakConfidence::kLow, "low"}};

std::string LeaksText(const HeapModel& model, const SlotNames& names, const LeakReport& report,
                      const TextStyle& style);
std::string LeaksJson(const HeapModel& model, const SlotNames& names, const LeakReport& report);
SharedShape LeaksShape();

}  // namespace hindsight::analyzer
