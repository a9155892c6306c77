#include "recorder/contract/text.h"

#include <algorithm>

namespace hindsight::contract {
namespace {

constexpr size_t kMaxQuotedBytes = 64;

// U+0080 to U+009F: some terminals interpret them.
bool IsC1Control(std::string_view sequence) {
  return sequence.size() == 2 && sequence[0] == '\xc2' &&
         static_cast<unsigned char>(sequence[1]) < 0xa0;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsUtf8Continuation(text[i])) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && byte(1) >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // past U+10FFFF
  return length;
}

std::string RepairedUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    repaired.append(length == 0 ? "\xef\xbf\xbd" : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return repaired;
}

std::string Printable(std::string_view text, size_t limit) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (printable.size() + sequence.size() > limit) return printable + "...";
    if (length == 0 || IsControl(text[0]) || IsC1Control(sequence)) {
      printable += '?';
    } else {
      printable += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return printable;
}

std::string Quote(std::string_view text) { return '"' + Printable(text, kMaxQuotedBytes) + '"'; }

// The classic two-pointer match: on a mismatch, only the last star has to be retried.
bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      do ++t;
      while (t < text.size() && IsUtf8Continuation(text[t]));
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace hindsight::contract
