// The memory that holds the runtime's variables: the writable data of libcoreclr, or of the program
// itself in a single-file application. Takes the loader's lock: not during a pause.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hindsight::recorder {

std::vector<std::span<const uint32_t>> RuntimeData();

}  // namespace hindsight::recorder
