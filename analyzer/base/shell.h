// Quotes words to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer {

// `text` so that a shell takes it as a single word, whatever it contains: unchanged, or in single
// quotes.
std::string ShellWord(std::string_view text);

// For the shells used on this system: characters other than letters and digits that have no special
// meaning anywhere, and how a quotation mark is written within quotation marks.
extern const std::string_view kPlainInShell;
extern const std::string_view kQuoteInShell;

}  // namespace hindsight::analyzer
