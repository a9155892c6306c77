// Events that were only counted, because there was no room for their details.
#pragma once

#include <cstdint>

namespace hindsight::analyzer {

struct CountedEvents {
  uint64_t throws = 0, counted_throws = 0;  // all throws; those without details
  uint64_t waits = 0, counted_waits = 0;

  bool any() const { return counted_throws > 0 || counted_waits > 0; }
};

}  // namespace hindsight::analyzer
