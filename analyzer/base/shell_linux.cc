#include "analyzer/base/shell.h"

namespace hindsight::analyzer {

const std::string_view kPlainInShell = "._-+/:,@%";
const std::string_view kQuoteInShell = "'\\''";

}  // namespace hindsight::analyzer
