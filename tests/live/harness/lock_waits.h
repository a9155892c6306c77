// The waits of the sample LockWaits: it makes a known number of each kind.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace hindsight::live {

// Compares `hindsight locks --json` with what LockWaits does if it makes `count` waits of each
// kind. A line for each difference.
std::string LockWaitDifferences(const nlohmann::json& report, int runtime, uint64_t count);

}  // namespace hindsight::live
