// What stays in memory for each recording of a fleet: numbers, and a path. Texts are stored once,
// or only if they are shown (finding_texts.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/finding_key.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

inline constexpr uint32_t kNone = UINT32_MAX;  // an unknown number

// Numbers things in the order of their occurrence, each once.
template <typename Key>
class Numbered {
 public:
  uint32_t Of(const Key& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(&at->first);
    return at->second;
  }
  const Key& operator[](uint32_t number) const { return *keys_[number]; }
  size_t size() const { return keys_.size(); }

 private:
  std::map<Key, uint32_t> numbers_;
  std::vector<const Key*> keys_;  // indexed by number
};

struct KeptFinding {
  double impact = 0;
  uint32_t key = 0;  // index into FleetNames::findings
  Severity severity = Severity::kNote;
};

template <typename One, typename Other>
bool IsWorse(const One& one, const Other& other) {
  if (one.severity != other.severity) return one.severity < other.severity;
  return one.impact > other.impact;
}

struct FleetNames {
  Numbered<std::string> applications, hosts, builds;
  Numbered<FindingKey> findings;
};

struct KeptRow {
  std::string path;
  uint64_t recording_id = 0, part_of = 0;
  uint64_t process_started_unix_ns = 0, started_unix_ns = 0, end_unix_ns = 0;
  uint32_t pid = 0, covered = 0;
  uint32_t application = 0, host = kNone, build = kNone;  // of FleetNames; kNone: not recorded
  std::array<std::optional<double>, kFleetNumbers.size()> numbers;
  std::vector<KeptFinding> findings;  // worst first

  bool covers(Signal signal) const { return (covered >> static_cast<unsigned>(signal) & 1) != 0; }
};

}  // namespace hindsight::analyzer
