#include "recorder/names/source_revision.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "recorder/names/compressed.h"

namespace hindsight::recorder {
namespace {

// A string's bytes, behind their number; empty if there are fewer, or the string is null.
std::string_view PackedString(std::span<const uint8_t> bytes) {
  uint32_t length = 0;
  if (!TakeCompressed(bytes, length) || bytes.size() < length) return {};
  return {reinterpret_cast<const char*>(bytes.data()), length};
}

bool IsRevision(std::string_view text) {
  constexpr size_t kShortest = 7, kLongest = 64;
  return text.size() >= kShortest && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

}  // namespace

std::string SourceRevision(std::span<const uint8_t> value) {
  constexpr size_t kProlog = 2;
  if (value.size() < kProlog || value[0] != 1 || value[1] != 0) return {};
  std::string_view version = PackedString(value.subspan(kProlog));
  const size_t plus = version.find('+');
  if (plus == std::string_view::npos) return {};
  // What the project itself has behind the plus comes first: 1.0+nightly.b53c6d…
  const size_t dot = version.rfind('.');
  version.remove_prefix((dot == std::string_view::npos || dot < plus ? plus : dot) + 1);
  return IsRevision(version) ? std::string(version) : std::string();
}

}  // namespace hindsight::recorder
