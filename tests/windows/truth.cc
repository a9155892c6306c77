// truth WHAT ...: whether what was recorded elsewhere, by a sample for Windows for example, is
// exactly what the sample does. Prints each difference; exit code 0: there is none.
//
//   truth storm NET SCALE RECORDING
//   truth deadlocks NET RECORDING SAMPLE CASE
//   truth heap SAMPLE SNAPSHOT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
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

std::string OfHeap(const Words& words) {
  const HeapTruth truth(words.at(1));
  const auto model = ReadSnapshot(words.at(2));
  return Defects(*model) + Differences(ContentsOf(*model, words.at(1)), truth.contents());
}

std::string Compare(const Words& words) {
  if (words.at(0) == "storm") return OfStorm(words);
  if (words.at(0) == "deadlocks") return OfDeadlocks(words);
  if (words.at(0) == "heap") return OfHeap(words);
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
