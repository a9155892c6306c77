// UTF-16, as the runtime gives it, to UTF-8, as recordings hold it.
//
// Pure functions: any thread; EncodeUtf8 is as signal-safe as its `put`. Lone surrogates become
// U+FFFD, so the result is always valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hindsight::recorder {

// Calls `put(char)` for each byte of at most `max_units` UTF-16 code units of `text`; a surrogate
// pair is never split. Returns the number of code units left out.
template <typename Put>
size_t EncodeUtf8(std::u16string_view text, size_t max_units, Put put) {
  constexpr char32_t kReplacement = 0xfffd;
  const auto is_high = [](char16_t unit) { return (unit & 0xfc00) == 0xd800; };
  const auto is_low = [](char16_t unit) { return (unit & 0xfc00) == 0xdc00; };
  size_t at = 0;
  while (at < text.size()) {
    const char16_t unit = text[at];
    const bool pair = is_high(unit) && at + 1 < text.size() && is_low(text[at + 1]);
    const size_t units = pair ? 2 : 1;
    if (at + units > max_units) break;
    char32_t point = unit;
    if (pair) {
      point = 0x10000 + ((char32_t{unit} & 0x3ff) << 10) + (char32_t{text[at + 1]} & 0x3ff);
    } else if (is_high(unit) || is_low(unit)) {
      point = kReplacement;
    }
    const auto tail = [&](int shift) { put(static_cast<char>(0x80 | ((point >> shift) & 0x3f))); };
    if (point < 0x80) {
      put(static_cast<char>(point));
    } else if (point < 0x800) {
      put(static_cast<char>(0xc0 | (point >> 6)));
      tail(0);
    } else if (point < 0x10000) {
      put(static_cast<char>(0xe0 | (point >> 12)));
      tail(6);
      tail(0);
    } else {
      put(static_cast<char>(0xf0 | (point >> 18)));
      tail(12);
      tail(6);
      tail(0);
    }
    at += units;
  }
  return text.size() - at;
}

// Appends at most `max_units` UTF-16 code units of `text` to `out`; a surrogate pair is never
// split. Returns the number of code units left out.
size_t AppendUtf8(std::u16string_view text, size_t max_units, std::string& out);

std::string ToUtf8(std::u16string_view text);

}  // namespace hindsight::recorder
