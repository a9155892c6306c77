// The actual problem in a run of samples/Shop, and what a finding about it must name.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace hindsight::bench {

// An entry of samples/Shop/truth.json, which explains each part. The healthy shop is one too, with
// nothing to report.
struct Truth {
  std::string problem;  // "healthy": no problem is enabled
  std::string says{};
  std::string command{};
  std::set<std::string> signals{};
  std::vector<std::string> names{};
  std::set<std::string> also{};
  std::set<std::string> tells{};  // ways
  std::string why_not{};
};

inline constexpr const char* kHealthy = "healthy";

// The healthy one first. Throws std::runtime_error.
std::vector<Truth> ReadTruths(const std::filesystem::path& file);

}  // namespace hindsight::bench
