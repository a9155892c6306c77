// Where the runtime keeps its variables: the writable data of libcoreclr, or of the program itself
// if it is a single-file application. Takes the loader's lock: not in a pause.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hindsight::recorder {

std::vector<std::span<const uint32_t>> RuntimeData();

}  // namespace hindsight::recorder
