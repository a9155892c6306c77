// Records the shop with a problem, once in each way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hindsight::bench {

// Ways to record. "diff" compares two of the last, of the healthy shop and of one with a problem,
// and "reverse" the same in the other order; "equal" compares the attached ones of one run.
inline const std::vector<std::string> kRecordedWays = {"start", "attach", "snapshot", "series"};
inline constexpr const char* kAttach = "attach";
inline constexpr const char* kDiff = "diff";
inline constexpr const char* kReverse = "reverse";
inline constexpr const char* kEqual = "equal";
inline constexpr const char* kSeries = "series";

struct RecordSettings {
  std::vector<std::string> ways;  // of kRecordedWays
  int seconds = 12;               // of `attach` and `series`
  bool loaded = false;            // other processes keep all cores busy
};

// Runs the shop once, into folder/WAY, each of which is empty or a folder with one recording:
//   start     the default sources from the start, until the problem has shown itself
//   attach    the default sources, while the problem is present
//   snapshot  only a heap snapshot
//   series    the default sources while the problem is present, and three heap snapshots
// With all problems at once, not each one shows itself: that run is recorded after a minute. Throws
// std::runtime_error.
void RecordShop(const std::string& problem, const RecordSettings& settings,
                const std::filesystem::path& folder);

// The recording in `folder`; empty if there is none.
std::filesystem::path RecordingIn(const std::filesystem::path& folder);

}  // namespace hindsight::bench
