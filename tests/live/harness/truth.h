// What a sample is known to throw (the truth.json next to it), and the comparison of that with a
// report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::live {

// Logical exceptions that have everything in common, as a report shows them.
struct ReportedGroup {
  std::string type;
  std::vector<std::string> path;  // display names, innermost first
  std::string outcome;
  std::string catcher;  // empty: none
  uint64_t count = 0;
  uint64_t hops = 0;  // of each
  std::map<std::string, uint64_t> messages;
  std::map<std::string, uint64_t> hop_kinds;
  std::string cause;  // type of the InnerException's throw; empty: none known

  std::string Describe() const;
};

struct TruthEntry {
  std::string name;
  std::string type;
  std::string message;
  std::vector<std::string> path;  // "*": any number of frames of the framework
  std::string outcome;
  std::string catcher;  // may end with *
  std::string cause;
  std::string hop;  // kind; empty: any
  int64_t count = 0;
  int64_t first_round = 0;
  uint64_t hops = 0;
  std::vector<int> runtimes;  // empty: all
};

// What was run.
struct Workload {
  int runtime = 10;  // major version
  int64_t scale = 1;
  int64_t rounds = 1;
  bool has_first_round = true;
};

class Truth {
 public:
  explicit Truth(const std::filesystem::path& file);

  const std::vector<TruthEntry>& entries() const { return entries_; }
  void Add(TruthEntry entry) { entries_.push_back(std::move(entry)); }

  // 0 when the runtime does not have the entry.
  uint64_t Expected(const TruthEntry& entry, const Workload& workload) const;
  // Whether `frames`, innermost first, begin with `path`.
  bool Matches(const std::vector<std::string>& path, const std::vector<std::string>& frames) const;

  // Every difference in a line of its own; empty: the report is exactly the truth.
  std::string Differences(const std::vector<ReportedGroup>& groups, const Workload& workload) const;

 private:
  bool IsFramework(std::string_view frame) const;
  bool MatchesFrom(const std::vector<std::string>& path, size_t at,
                   const std::vector<std::string>& frames, size_t frame) const;
  const TruthEntry* Find(const ReportedGroup& group, const Workload& workload) const;

  std::vector<std::string> framework_;
  std::vector<TruthEntry> entries_;
};

// `pattern` may end with *.
bool MatchesName(std::string_view pattern, std::string_view name);

}  // namespace hindsight::live
