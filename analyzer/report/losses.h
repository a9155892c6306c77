// Sentences on what a report cannot have seen.
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/counted_events.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Empty for a complete recording. Each is a complete sentence.
std::vector<std::string> LossSentences(const Model& model);
std::vector<std::string> LossSentences(const RecordingFacts& facts, const Losses& losses);
// What was only counted, because there was no room for details, and how many have details. Empty if
// nothing was only counted.
std::string CountedSentence(const CountedEvents& events);
CountedEvents CountedOf(const Model& model);
// Only with what is missing about exceptions.
std::vector<std::string> ExceptionLossSentences(const Model& model);
std::vector<std::string> ExceptionLossSentences(const RecordingFacts& facts, const Losses& losses,
                                                const CountedEvents& counted);

// How the recording ended: "the recording breaks off: ..."; a clause.
std::string EndClause(const Model& model);

// "Shop (pid 4242, .NET 10.0.1), 1 m 30 s recorded"
std::string RecordingTitle(const RecordingFacts& facts);

}  // namespace hindsight::analyzer
