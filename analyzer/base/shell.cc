#include "analyzer/base/shell.h"

#include <algorithm>

namespace hindsight::analyzer {

std::string ShellWord(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlainInShell.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += kQuoteInShell;
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace hindsight::analyzer
