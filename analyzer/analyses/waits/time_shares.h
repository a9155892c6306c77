// Distributes an amount of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::analyzer {

// Distributes `total` over `given` in proportion to `weights`, to each at most its `room`, which
// shrinks. Returns what could not be distributed. Nothing is added where the weight is 0. All three
// spans have the same length.
uint64_t ShareOut(uint64_t total, std::span<const double> weights, std::span<uint64_t> room,
                  std::span<uint64_t> given);

}  // namespace hindsight::analyzer
