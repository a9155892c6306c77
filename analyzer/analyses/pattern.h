// How command-line filters match names.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// Without * and ?: whether `pattern` occurs in `text`. With them: whether `text` as a whole matches
// (* is any characters, ? is one). Ignores the case of ASCII letters. An empty pattern matches
// everything.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace hindsight::analyzer
