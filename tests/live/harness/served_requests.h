// The requests that the sample WebShop serves: it makes a known number of each kind.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace hindsight::live {

// The numbers that the tests give to WebShop.
inline constexpr int kFastRequests = 500;
inline constexpr int kSlowRequests = 8;
inline constexpr int kFailingRequests = 7;
inline constexpr int kClosedRequests = 5;

// Compares the counts in the recording with what WebShop said (--self-log). A line for each
// difference.
std::string RequestDifferences(const std::filesystem::path& recording, const nlohmann::json& said);

// Compares `hindsight requests --json` of a recording with requests.routes=on with the numbers
// above. A line for each difference.
std::string RouteDifferences(const nlohmann::json& report);

}  // namespace hindsight::live
