#include "analyzer/exports/json_stream.h"

#include <charconv>
#include <cstdio>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

void JsonStream::Number(uint64_t number) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  Raw({digits, static_cast<size_t>(end - digits)});
}

void JsonStream::Text(std::string_view text) {
  std::string out = "\"";
  for (const char c : ValidUtf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  Raw(EscapedJson(out += '"'));
}

bool JsonStream::Finish() {
  Flush();
  return is_ok_;
}

void JsonStream::Flush() {
  if (is_ok_ && !buffer_.empty()) is_ok_ = sink_(buffer_);
  buffer_.clear();
}

}  // namespace hindsight::analyzer
