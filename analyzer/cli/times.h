// Times on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hindsight::cli {

// Nanoseconds, as parsed by contract::ParseDuration; nullopt if `text` is not a duration.
std::optional<uint64_t> ParseDuration(std::string_view text);

}  // namespace hindsight::cli
