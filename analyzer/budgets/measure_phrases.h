// Phrases that stand for names of MeasureKinds, as people write them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

// If there are several names, the unit of the limit decides; the first is for limits without one.
struct MeasurePhrase {
  std::string_view phrase;  // in lower case, one blank between words
  std::string_view subject;
  std::vector<std::string_view> names;
};
std::span<const MeasurePhrase> MeasurePhrases();

// Kinds that `words` may stand for, the first one if nothing else decides; empty: none. `words` is
// the name of a measure or a phrase, ignoring case and blanks.
std::vector<const MeasureKind*> KindsCalled(std::string_view words, std::string_view subject);

// The name or phrase that is most similar to `words`, with ` of KIND` if it has a subject; empty:
// none is similar.
std::string NearestCall(std::string_view words, std::string_view subject);

// The words that announce subjects: "type", "method", ...
std::vector<std::string_view> SubjectKinds();

// The one of `candidates` that is most similar to `word`, by the letters to change; empty: none is
// similar.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace hindsight::analyzer
