// What is wrong in a run of samples/Shop, and what a finding about it has to name.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace hindsight::bench {

// One of samples/Shop/truth.json, which says what each part means. The healthy shop is one too,
// with nothing to tell.
struct Truth {
  std::string problem;  // "healthy": none is switched on
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
