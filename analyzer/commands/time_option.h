// Times on the command line, as contract::ParseDuration reads them: 500ms, 10s, 1m30s, 2h, 1.5s; a
// number alone is seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hindsight::analyzer {

// Nanoseconds; nothing if `text` is not a time, or above a year.
std::optional<int64_t> ParseTime(std::string_view text);

}  // namespace hindsight::analyzer
