// How command-line filters match names.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// Without * and ?: whether `pattern` occurs in `text`. With them: whether `text` as a whole matches
// (* any characters, ? one). Case does not matter for ASCII. An empty pattern matches everything.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace hindsight::analyzer
