// Names and values as the event source enumerates them: `[db.system, postgresql],[db.name, shop]`.
//
// Any thread; neither allocates nor blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hindsight::recorder {

inline constexpr std::u16string_view kAfterPairName = u", ", kBetweenPairs = u"],[";

// Of an activity's tags, the value of the one with this name; empty if there is none. Texts are
// UTF-16, as in a payload. A value may itself contain brackets and commas: it ends where a name of
// a tag begins, which consists of lower-case letters, digits, underscores, and at least one dot.
std::span<const uint8_t> FindTag(std::span<const uint8_t> tags, std::u16string_view name);

}  // namespace hindsight::recorder
