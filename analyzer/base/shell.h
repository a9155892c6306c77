// Quoting of words to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer {

// `text` so that a shell takes it for one word, whatever is in it: as it is, or in single quotes.
std::string ShellWord(std::string_view text);

}  // namespace hindsight::analyzer
