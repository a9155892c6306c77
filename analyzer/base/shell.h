// Quoting of words to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer {

// `text` so that a shell takes it for one word, whatever is in it: as it is, or in single quotes.
std::string ShellWord(std::string_view text);

// Of the shells that people type in here: characters besides letters and digits that have no
// meaning, wherever they stand, and how a quotation mark is written between quotation marks.
extern const std::string_view kPlainInShell;
extern const std::string_view kQuoteInShell;

}  // namespace hindsight::analyzer
