// Text that begins with one of several prefixes.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

namespace hindsight::analyzer {

inline bool StartsWithAny(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

inline bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return StartsWithAny(text, std::span(prefixes.begin(), prefixes.size()));
}

}  // namespace hindsight::analyzer
