// Numbers for formats that only have signed ones.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hindsight::analyzer {

// The largest signed number if `value` is larger.
inline int64_t SaturatedInt64(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

}  // namespace hindsight::analyzer
