// Numbers for formats that have signed ones only.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hindsight::analyzer {

// The largest one, if `value` is larger.
inline int64_t SaturatedInt64(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

}  // namespace hindsight::analyzer
