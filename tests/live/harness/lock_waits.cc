#include "tests/live/harness/lock_waits.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hindsight::live {

std::string LockWaitDifferences(const nlohmann::json& report, int runtime, uint64_t count) {
  using Place = std::pair<std::string, std::string>;  // without the namespace, and the kind
  // .NET 8 reports waits for monitors only. One is for a monitor that is never released.
  const uint64_t since_9 = runtime >= 9 ? count : 0;
  const std::map<Place, uint64_t> truth = {{{"Program.EnterMonitor", "monitor"}, count + 1},
                                           {{"Locks.EnterLock", "lock"}, since_9},
                                           {{"Program.WaitForPulse", "pulse"}, since_9},
                                           {{"Program.WaitForEvent", "wait handle"}, since_9},
                                           {{"Program.WaitForTask", "task"}, since_9}};
  std::map<Place, uint64_t> found;
  for (const auto& wait : report.at("waits")) {
    const std::string site = wait.at("site").is_string() ? wait.at("site").get<std::string>() : "";
    constexpr std::string_view kOwn = "LockWaits.";
    if (!site.starts_with(kOwn)) continue;
    found[{site.substr(kOwn.size()), wait.at("kind")}] += wait.at("count").get<uint64_t>();
  }
  std::string differences;
  for (const auto& [place, waits] : truth) {
    if (found[place] == waits) continue;
    differences += place.first + ", " + place.second + ": " + std::to_string(found[place]) +
                   " waits instead of " + std::to_string(waits) + '\n';
  }
  if (!differences.empty()) {
    for (const auto& wait : report.at("waits")) {
      differences += "  there: " + wait.at("kind").dump() + " in " + wait.at("site").dump() + ", " +
                     wait.at("count").dump() + " waits\n";
    }
  }
  for (const auto& lock : report.at("locks")) {
    if (lock.at("count") < count) continue;  // the runtime's own
    if (lock.at("waiters_at_most") != 1u)
      differences += "more than one waiter: " + lock.dump() + '\n';
  }
  const auto& open = report.at("open");
  const auto stuck = std::ranges::find_if(open, [](const auto& wait) {
    return wait.at("thread").is_object() && wait.at("thread").at("name") == "stuck";
  });
  if (stuck == open.end()) return differences + "no open wait of `stuck`\n";
  const auto& owner_stack = stuck->at("owner_stack");
  if (std::ranges::find(owner_stack, "LockWaits.Program.Main") == owner_stack.end()) {
    differences += "its owner is not in Main: " + stuck->dump() + '\n';
  }
  return differences;
}

}  // namespace hindsight::live
