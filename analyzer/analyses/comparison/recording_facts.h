// Facts about two recordings that affect their comparison.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

Work WorkOf(const Model& model, Per per);

// The unit if none was requested: requests if both served many, none if both are of a program's
// whole life, otherwise seconds. Null: the recording has no events.
Per UsualPer(const Model* before, const Model* after, const ComparisonRules& rules = {});

// Sentences on what may cause differences, apart from the program.
std::vector<std::string> NotesOn(const Reports& before, const Reports& after,
                                 const ComparisonRules& rules);

// All signals: kHealthy if both have it, kNothingThere if it is known to be empty in both;
// `looked_at` is empty.
std::vector<Coverage> CoverageOf(const Reports& before, const Reports& after);
// Whether they ran the same code: all assemblies that both have loaded are of the same build.
bool AreOfOneBuild(const Model& before, const Model& after);
// The compared signals that only `one` has.
std::vector<Signal> RecordedOnlyIn(const Reports& one, const Reports& other);

}  // namespace hindsight::analyzer
