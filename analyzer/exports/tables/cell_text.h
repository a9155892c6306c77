// Texts of a recording as stored in tables.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

// Valid UTF-8 without NUL, which ends a text for most readers of tables: U+FFFD replaces it.
inline std::string CellText(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (is_plain) return std::string(text);
  std::string out;
  for (const char c : ValidUtf8(text)) {
    if (c == '\0') {
      out += "\xef\xbf\xbd";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace hindsight::analyzer
