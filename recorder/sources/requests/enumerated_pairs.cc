#include "recorder/sources/requests/enumerated_pairs.h"

#include <cstddef>

#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {
namespace {

constexpr size_t Bytes(std::u16string_view text) { return text.size() * sizeof(char16_t); }

bool IsAt(std::span<const uint8_t> tags, size_t at, std::u16string_view expected) {
  return at <= tags.size() && tags.size() - at >= Bytes(expected) &&
         IsText(tags.subspan(at, Bytes(expected)), expected);
}

// Whether a tag's name and its comma begin here.
bool BeginsTag(std::span<const uint8_t> tags, size_t at) {
  bool has_dot = false;
  for (; !IsAt(tags, at, kAfterPairName); at += sizeof(char16_t)) {
    const auto c = ReadPayload<char16_t>(tags, at);
    const bool is_word = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'_';
    if (!is_word && c != u'.') return false;
    has_dot = has_dot || c == u'.';
  }
  return has_dot;
}

}  // namespace

std::span<const uint8_t> FindTag(std::span<const uint8_t> tags, std::u16string_view name) {
  // The end of a pair is also that of a list.
  size_t at = Bytes(u"[");
  while (at < tags.size()) {
    size_t end = at;
    while (end < tags.size() &&
           !(IsAt(tags, end, kBetweenPairs) && BeginsTag(tags, end + Bytes(kBetweenPairs)))) {
      end += sizeof(char16_t);
    }
    if (IsAt(tags, at, name) && IsAt(tags, at + Bytes(name), kAfterPairName)) {
      const size_t begin = at + Bytes(name) + Bytes(kAfterPairName);
      const size_t after = end < tags.size() ? end : tags.size() - Bytes(u"]");
      return after <= begin ? std::span<const uint8_t>() : tags.subspan(begin, after - begin);
    }
    at = end + Bytes(kBetweenPairs);
  }
  return {};
}

}  // namespace hindsight::recorder
