// What is said first of a leak that an accumulation may be: how many of what, held how.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/heap/leak_candidate.h"
#include "analyzer/analyses/heap/leaks.h"

namespace hindsight::analyzer {

// Sentences. Of `suspect`, the kind, the count and the share have to be known.
std::vector<std::string> EvidenceOf(const HeapModel& model, const LeakCandidate& candidate,
                                    const LeakSuspect& suspect);

}  // namespace hindsight::analyzer
