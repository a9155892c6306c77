// Shares out an amount of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::analyzer {

// Adds `total` to `given`, by `weights`, to none more than its room, which shrinks. Returns what
// found none. Where a weight is 0 nothing is added. All three spans are of one length.
uint64_t ShareOut(uint64_t total, std::span<const double> weights, std::span<uint64_t> room,
                  std::span<uint64_t> given);

}  // namespace hindsight::analyzer
