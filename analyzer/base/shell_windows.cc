#include "analyzer/base/shell.h"

namespace hindsight::analyzer {

// As PowerShell reads it. cmd takes the plain words, too, and knows no quotation that keeps all
// others.
const std::string_view kPlainInShell = "._-+/:\\";
const std::string_view kQuoteInShell = "''";

}  // namespace hindsight::analyzer
