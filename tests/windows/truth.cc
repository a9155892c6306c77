// truth WHAT ...: whether what was recorded elsewhere, by a sample for Windows for example, is
// exactly what the sample does. Prints each difference; exit code 0: there is none.
//
//   truth cpu-shares RECORDING
//   truth cpu-paths RECORDING
//   truth storm NET SCALE RECORDING
//   truth ticks LEAST MOST RECORDING: of ExceptionStorm --tick, which was killed
//   truth waits NET RECORDING: of LockWaits, with 20 of each kind
//   truth contention NET RECORDING
//   truth allocations NET RECORDING: of AllocationHot
//   truth tasks NET RECORDING: of StuckTask
//   truth deadlocks NET RECORDING SAMPLE CASE
//   truth heap SAMPLE SNAPSHOT
//   truth requests RECORDING SAID: of WebShop, with what it said
//   truth routes RECORDING: of WebShop, with the numbers in served_requests.h
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/harness/allocation_truth.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/lock_waits.h"
#include "tests/live/harness/process.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/served_requests.h"
#include "tests/live/harness/truth.h"
#include "tests/live/harness/wait_truth.h"

namespace hindsight::live {
namespace {

using Words = std::vector<std::string>;

// What the framework itself does otherwise on Windows: it names the drive, and reports from where
// the file is opened at once.
std::filesystem::path StormTruthOfWindows(const Workspace& workspace) {
  nlohmann::json truth = nlohmann::json::parse(ReadFile(StormTruth()));
  for (nlohmann::json& entry : truth.at("exceptions")) {
    if (entry.at("name") != "missing file") continue;
    entry["message"] = "Could not find file 'Z:\\nowhere.txt'.";
    entry.erase("hops");
    entry.erase("hop");
  }
  const std::filesystem::path file = workspace / "truth.json";
  WriteFile(file, truth.dump());
  return file;
}

std::string OfStorm(const Words& words) {
  const Workspace workspace;
  const Workload workload{.runtime = std::atoi(words.at(1).c_str()),
                          .scale = std::atoi(words.at(2).c_str())};
  return Truth(StormTruthOfWindows(workspace)).Differences(Groups(words.at(3)), workload);
}

std::string Listed(const Texts& texts, const Texts& others, const char* sign) {
  std::string list;
  for (const std::string& text : texts) {
    if (texts.count(text) > others.count(text)) list += sign + text + '\n';
  }
  return list;
}

std::string OfDeadlocks(const Words& words) {
  const std::vector<WaitCase> cases = {WaitCaseOf(words.at(3), words.at(4))};
  const nlohmann::json report = HindsightJson("deadlocks", words.at(2));
  // Types come with a heap snapshot by a copy of the process.
  const Texts found = DeadlocksWithoutTypesIn(report);
  const Texts expected = DeadlocksWithoutTypesOf(cases);
  return Listed(expected, found, "- ") + Listed(found, expected, "+ ") + BrokenCycles(report);
}

// The process was killed: nothing but its last moment may be missing, and `verify` says that it has
// no end. No segment at all: it was killed before the first one was due.
std::string OfTicks(const Words& words) {
  const uint64_t least = std::stoull(words.at(1)), most = std::stoull(words.at(2));
  const nlohmann::json verified = HindsightJson("verify", words.at(3));
  std::string differences;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) differences += what + '\n';
  };
  expect(!verified.at("closed_in_order").get<bool>(), "it was closed in order");
  expect(verified.at("lost_events").empty(), "lost events: " + verified.at("lost_events").dump());
  expect(verified.at("lost_segments") == 0, "lost segments");
  uint64_t ticks = 0;
  if (verified.at("intact_segments") != 0) {
    for (const ReportedGroup& group : Groups(words.at(3))) {
      expect(group.type == "ExceptionStorm.TickException", group.type);
      ticks += group.count;
    }
  }
  std::printf("%llu ticks of %llu to %llu\n", static_cast<unsigned long long>(ticks),
              static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
  expect(ticks >= least, "too few");
  expect(ticks <= most, "too many");
  return differences;
}

std::string OfWaits(const Words& words) {
  constexpr uint64_t kCount = 20;
  return LockWaitDifferences(HindsightJson("locks", words.at(2)), std::atoi(words.at(1).c_str()),
                             kCount);
}

// Its threads wait at its two locks and nowhere else; how often is up to chance, and at the Lock,
// which spins before it waits, whether they do at all. It is healthy.
std::string OfContention(const Words& words) {
  const WaitCase truth = WaitCaseOf("Contention", "busy");
  const std::string certain = "monitor in Contention.Register.Add";
  std::set<std::string> possible, found;
  for (const auto& [kind, method] : truth.locks) {
    // System.Threading.Lock came with .NET 9.
    possible.insert((std::atoi(words.at(1).c_str()) < 9 ? "monitor" : kind) + " in " + method);
  }
  std::string differences;
  const nlohmann::json report = HindsightJson("locks", words.at(2));
  for (const auto& wait : report.at("waits")) {
    const std::string method = OwnMethod(wait.at("stack")), kind = wait.at("kind");
    // At its end it waits for its threads.
    if (method.empty() || kind == "thread") continue;
    found.insert(kind + " in " + method);
    if (wait.at("count") == 0 || wait.at("total_ns") == 0) differences += "empty: " + method + '\n';
  }
  if (!found.contains(certain)) differences += "- " + certain + '\n';
  for (const std::string& place : found) {
    if (!possible.contains(place)) differences += "+ " + place + '\n';
  }
  const nlohmann::json deadlocks = HindsightJson("deadlocks", words.at(2)).at("deadlocks");
  if (!deadlocks.empty()) differences += deadlocks.dump() + '\n';
  const nlohmann::json findings = HindsightJson("threads", words.at(2)).at("findings");
  if (!findings.empty()) differences += findings.dump() + '\n';
  if (HindsightJson("pool", words.at(2)).at("verdict") == "starved") differences += "starved\n";
  return differences;
}

std::string OfAllocations(const Words& words) {
  return AllocationDifferences(RawRecording(words.at(2)), std::atoi(words.at(1).c_str()));
}

// One group of chains, with the methods and with what holds what they await.
std::string OfTasks(const Words& words) {
  const StuckTasks truth = WaitCaseOf("StuckTask", "requests").tasks.at(0);
  const nlohmann::json report = HindsightJson("tasks", words.at(2));
  const auto is_it = [&](const nlohmann::json& group) {
    return group.at("count") == truth.count && group.at("stack") == truth.stack &&
           group.at("awaits").get<std::string>().find(truth.awaits) != std::string::npos &&
           group.at("holder").is_string() &&
           group.at("holder").get<std::string>().find(truth.holder) != std::string::npos;
  };
  return std::ranges::count_if(report.at("groups"), is_it) == 1 ? "" : report.dump(1) + '\n';
}

std::string OfHeap(const Words& words) {
  const HeapTruth truth(words.at(1));
  const auto model = ReadSnapshot(words.at(2));
  return Defects(*model) + Differences(ContentsOf(*model, words.at(1)), truth.contents());
}

// The shares of the methods of CpuHot that use the time. The emulated system suspends threads
// slowly and counts their time in steps of 10 ms, so there are few samples.
std::string OfCpuShares(const Words& words) {
  constexpr double kTolerance = 0.1;
  constexpr size_t kLeastSamples = 50;
  const CpuRecording recording(words.at(1));
  const auto shares = OfMethods(CpuTruth().at("shares"), "self");
  std::map<std::string, uint64_t> self = recording.SelfNs();
  double total = 0;
  for (const auto& [method, share] : shares) total += static_cast<double>(self[method]);
  std::string differences;
  for (const auto& [method, share] : shares) {
    const double found = static_cast<double>(self[method]) / total;
    std::printf("%s: %.3f\n", method.c_str(), found);
    if (!(std::abs(found - share.get<double>()) <= kTolerance)) differences += method + '\n';
  }
  if (recording.stacks().size() < kLeastSamples) differences += "too few samples\n";
  return differences;
}

// Whether the methods of CpuHot stand on the stacks next to those that call them, and the stacks go
// up to where the threads start.
std::string OfCpuPaths(const Words& words) {
  constexpr double kLeastRooted = 0.98, kLeastRight = 0.97;
  constexpr uint64_t kLeastCallers = 100;
  const CpuRecording recording(words.at(1));
  const nlohmann::json cases = CpuTruth();
  const CallerCheck callers = CheckCallers(recording, cases);
  const double rooted = recording.RootedShare(false);
  std::printf("%zu samples, %.4f rooted, %s\n", recording.stacks().size(), rooted,
              callers.Describe().c_str());
  std::string differences;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) differences += what + '\n';
  };
  expect(callers.checked >= kLeastCallers, "too few callers");
  expect(callers.RightShare() >= kLeastRight, "wrong callers");
  expect(rooted >= kLeastRooted, "stacks that are not rooted");
  expect(recording.NsOfThread("sleeper") == 0, "samples of a thread that sleeps");
  expect(recording.model().losses.DroppedEvents() == 0, "lost events");
  for (const auto& [name, one] : cases.items()) {
    for (const auto& [method, above] : OfMethods(one, "under")) {
      const auto outer = above.at(0).get<std::string>();
      uint64_t with = 0, without = 0;
      for (const CpuStack& stack : recording.stacks()) {
        if (stack.Has(method)) ++(stack.Has(outer) ? with : without);
      }
      expect(with > 9 * without, method + " without " + outer);
    }
  }
  return differences;
}

std::string OfRequests(const Words& words) {
  return RequestDifferences(words.at(1), nlohmann::json::parse(ReadFile(words.at(2))));
}

std::string Compare(const Words& words) {
  if (words.at(0) == "cpu-shares") return OfCpuShares(words);
  if (words.at(0) == "cpu-paths") return OfCpuPaths(words);
  if (words.at(0) == "storm") return OfStorm(words);
  if (words.at(0) == "ticks") return OfTicks(words);
  if (words.at(0) == "waits") return OfWaits(words);
  if (words.at(0) == "contention") return OfContention(words);
  if (words.at(0) == "allocations") return OfAllocations(words);
  if (words.at(0) == "tasks") return OfTasks(words);
  if (words.at(0) == "deadlocks") return OfDeadlocks(words);
  if (words.at(0) == "heap") return OfHeap(words);
  if (words.at(0) == "requests") return OfRequests(words);
  if (words.at(0) == "routes") return RouteDifferences(HindsightJson("requests", words.at(1)));
  return "There is no " + words.at(0) + ".\n";
}

}  // namespace
}  // namespace hindsight::live

int main(int count, char** words) try {
  const std::string differences =
      hindsight::live::Compare(std::vector<std::string>(words + 1, words + count));
  std::fputs(differences.c_str(), stdout);
  return differences.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 2;
}
