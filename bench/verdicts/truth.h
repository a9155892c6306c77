// The actual problem in a run of samples/Shop, and what a finding about it must name.
#pragma once

#include <filesystem>
#include <map>
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
  std::vector<std::string> names{};                        // in the title or the subject
  std::vector<std::string> evidence{};                     // anywhere in the finding
  std::map<std::string, std::vector<std::string>> also{};  // by signal
  std::set<std::string> reports{};                         // ways
  std::set<std::string> notes{};                           // ways
  bool once = false;
  std::string why_not{};
};

inline constexpr const char* kHealthy = "healthy";
inline constexpr const char* kAll = "all";  // each problem at once

// The healthy one first. Throws std::runtime_error.
std::vector<Truth> ReadTruths(const std::filesystem::path& file);

}  // namespace hindsight::bench
