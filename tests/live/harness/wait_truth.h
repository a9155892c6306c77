// What samples are known to wait for (the truth.json next to each), and what reports say about it:
// both as texts in the same form, so that they can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::live {

inline const std::vector<std::string> kWaitSamples = {
    "Deadlock",   "ReaderWriterDeadlock", "AsyncDeadlock", "SyncOverAsync",
    "StuckTask",  "PoolStarvation",       "Contention",    "ZombieThread",
    "ThreadLeak", "SlowButAlive",         "Stress",        "SlowHandles"};

using Texts = std::multiset<std::string>;

struct StuckTasks {
  uint64_t count = 0;
  std::vector<std::string> stack;  // async methods, innermost first
  std::string awaits;              // a part of the report's text
  std::string holder;              // likewise
};

struct ThreadFinding {
  std::string kind;
  uint64_t count = 0;
  std::string method;  // among its frames
};

// One way to run a sample.
struct WaitCase {
  std::string sample;
  std::string name;
  std::vector<std::string> arguments = {};  // of WaitSamples: the sample's name is the first
  std::vector<int> runtimes = {};
  std::map<std::string, uint64_t> blocked = {};  // threads by name, which may end with *
  Texts deadlocks = {};
  Texts deadlocks_without_types = {};
  std::vector<StuckTasks> tasks = {};
  std::vector<ThreadFinding> findings = {};
  std::string pool = {};                                        // the verdict; empty: unknown
  std::string pool_blocked_in = {};                             // a method
  std::vector<std::pair<std::string, std::string>> locks = {};  // kind and method
  Texts signals = {};                                           // as SignalsIn tells them

  bool RunsOn(int runtime) const;
};

// All of a sample, in the order of the file.
std::vector<WaitCase> WaitCases(const std::string& sample);
WaitCase WaitCaseOf(const std::string& sample, const std::string& name);

// The arguments that run them in one process, and what is then true of it.
std::vector<std::string> Together(const std::vector<WaitCase>& cases);
Texts DeadlocksOf(const std::vector<WaitCase>& cases);
Texts DeadlocksWithoutTypesOf(const std::vector<WaitCase>& cases);

// `hindsight deadlocks --json` as texts. Events alone do not show types.
Texts DeadlocksIn(const nlohmann::json& report);
Texts DeadlocksWithoutTypesIn(const nlohmann::json& report);
// What threads wait for that is no lock: "[kind, field, method, missing, of]".
// Not how many do: a thread may spin before it blocks.
Texts SignalsIn(const nlohmann::json& report);
// Each thing that a member of a cycle of locks waits for is held by another member; a line for each
// that is not.
std::string BrokenCycles(const nlohmann::json& report);

// Whether one of the frames is this method's.
bool HasMethod(const nlohmann::json& frames, std::string_view method);
// The first frame that is a sample's own, without its parameters; empty: there is none.
std::string OwnMethod(const nlohmann::json& frames);

}  // namespace hindsight::live
