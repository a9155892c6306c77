// Sizes and durations as people write them: one parser for the recorder's options and for both
// command lines. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace hindsight::contract {

// In nanoseconds.
constexpr uint64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;

// 4096, 64B, 1.5 MiB, 1.5M: k, m, g, t and KiB, MiB, GiB, TiB are powers of 1024; KB, MB, GB, TB
// are powers of 1000. Case does not matter. False: not a size, or above 64 bits.
bool ParseSize(std::string_view text, uint64_t& bytes);

// 500ms, 30s, 1.5h, 1h30m, 2d; a number alone is seconds. Units: d, h, m or min, s, ms, us, ns,
// each at most once and the largest first. False: not a duration, or above 64 bits of nanoseconds.
bool ParseDuration(std::string_view text, uint64_t& nanoseconds);

}  // namespace hindsight::contract
