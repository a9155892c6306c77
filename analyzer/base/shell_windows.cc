#include "analyzer/base/shell.h"

namespace hindsight::analyzer {

// For PowerShell. cmd takes the plain words, too, but has no quoting that protects all others.
const std::string_view kPlainInShell = "._-+/:\\";
const std::string_view kQuoteInShell = "''";

}  // namespace hindsight::analyzer
