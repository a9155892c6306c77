// UTF-16, as the runtime gives it, to UTF-8, as recordings hold it.
//
// Pure functions: any thread. Lone surrogates become U+FFFD, so the result is always valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hindsight::recorder {

// Appends at most `max_units` UTF-16 units of `text` to `out`; a surrogate pair is never split.
// Returns the number of units that were left out.
size_t AppendUtf8(std::u16string_view text, size_t max_units, std::string& out);

std::string ToUtf8(std::u16string_view text);

}  // namespace hindsight::recorder
