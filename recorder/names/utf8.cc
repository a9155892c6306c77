#include "recorder/names/utf8.h"

namespace hindsight::recorder {
namespace {

constexpr char32_t kReplacement = 0xfffd;

constexpr bool IsHighSurrogate(char16_t unit) { return (unit & 0xfc00) == 0xd800; }
constexpr bool IsLowSurrogate(char16_t unit) { return (unit & 0xfc00) == 0xdc00; }

void AppendCodePoint(char32_t point, std::string& out) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3f)));
  };
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (point >> 6)));
    tail(0);
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | (point >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | (point >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

size_t AppendUtf8(std::u16string_view text, size_t max_units, std::string& out) {
  size_t at = 0;
  while (at < text.size()) {
    const char16_t unit = text[at];
    const bool pair = IsHighSurrogate(unit) && at + 1 < text.size() && IsLowSurrogate(text[at + 1]);
    const size_t units = pair ? 2 : 1;
    if (at + units > max_units) break;
    char32_t point = unit;
    if (pair) {
      point = 0x10000 + ((char32_t{unit} & 0x3ff) << 10) + (char32_t{text[at + 1]} & 0x3ff);
    } else if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) {
      point = kReplacement;
    }
    AppendCodePoint(point, out);
    at += units;
  }
  return text.size() - at;
}

std::string ToUtf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendUtf8(text, text.size(), out);
  return out;
}

}  // namespace hindsight::recorder
