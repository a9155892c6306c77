// The process's mapped memory, as Linux lists it in /proc/self/maps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hindsight::recorder {

struct Mapping {
  uintptr_t low = 0, high = 0;
  std::string_view access;  // "r-xp"
  std::string_view name;    // a path, "[stack]", or empty
};

// /proc/self/maps; empty if it cannot be read. Allocates.
std::string ReadOwnMaps();

// Calls `found` for each line of `maps` that is a mapping, in ascending order, until it returns
// false.
void ForEachMapping(std::string_view maps, const std::function<bool(const Mapping&)>& found);

}  // namespace hindsight::recorder
