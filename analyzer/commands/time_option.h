// Times on the command line, as parsed by contract::ParseDuration: 500ms, 10s, 1m30s, 2h, 1.5s; a
// plain number is seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hindsight::analyzer {

// Nanoseconds; nullopt if `text` is not a time, or more than a year.
std::optional<int64_t> ParseTime(std::string_view text);

}  // namespace hindsight::analyzer
