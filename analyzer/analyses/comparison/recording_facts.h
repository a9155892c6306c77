// Facts about two recordings that affect their comparison.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

Work WorkOf(const Model& model, Per per);

// What is divided by where nobody said: requests if both served many, otherwise seconds. Null: the
// recording has no events.
Per UsualPer(const Model* before, const Model* after, const ComparisonRules& rules = {});

// Sentences on what else than the program may make a difference.
std::vector<std::string> NotesOn(const Reports& before, const Reports& after,
                                 const ComparisonRules& rules);

// All signals: kHealthy where both have it, kNothingThere where it is known to be empty in both;
// `looked_at` is empty.
std::vector<Coverage> CoverageOf(const Reports& before, const Reports& after);

}  // namespace hindsight::analyzer
