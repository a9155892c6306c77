// Phrases that stand for names of MeasureKinds, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

// Several names: the unit of the limit decides, the first is for limits without one.
struct MeasurePhrase {
  std::string_view phrase;  // in lower case, one blank between words
  std::string_view subject;
  std::vector<std::string_view> names;
};
std::span<const MeasurePhrase> MeasurePhrases();

// Kinds that `words` may mean, the first if nothing else decides; empty: none. `words` is the name
// of a measure or a phrase, whatever its case and blanks.
std::vector<const MeasureKind*> KindsCalled(std::string_view words, std::string_view subject);

// The name or phrase that is most like `words`, with ` of KIND` where it has a subject; empty: none
// is.
std::string NearestCall(std::string_view words, std::string_view subject);

// The words that subjects are announced with: "type", "method", ...
std::vector<std::string_view> SubjectKinds();

// Of `candidates` the one most like `word` by the letters to change; empty: none is like it.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace hindsight::analyzer
