// truth WHAT ...: whether what was recorded elsewhere, by a sample for Windows for example, is exactly what
// the sample does. Prints each difference; exit code 0: there is none.
//
//   truth storm NET SCALE RECORDING
//   truth deadlocks NET RECORDING SAMPLE...
//   truth heap SAMPLE SNAPSHOT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

std::string OfStorm(const Words& words) {
  const Workload workload{.runtime = std::atoi(words.at(1).c_str()),
                          .scale = std::atoi(words.at(2).c_str())};
  return Truth(StormTruth()).Differences(Groups(words.at(3)), workload);
}

std::string Listed(const Texts& texts, const Texts& others, const char* sign) {
  std::string list;
  for (const std::string& text : texts) {
    if (texts.count(text) > others.count(text)) list += sign + text + '\n';
  }
  return list;
}

std::string OfDeadlocks(const Words& words) {
  const int runtime = std::atoi(words.at(1).c_str());
  std::vector<WaitCase> cases;
  for (const std::string& sample : Words(words.begin() + 3, words.end())) {
    for (WaitCase& one : WaitCases(sample)) {
      if (one.RunsOn(runtime)) cases.push_back(std::move(one));
    }
  }
  const nlohmann::json report = HindsightJson("deadlocks", words.at(2));
  // With the heap they have types.
  const bool has_types = !DeadlocksIn(report).empty() && DeadlocksIn(report) == DeadlocksOf(cases);
  const Texts found = has_types ? DeadlocksIn(report) : DeadlocksWithoutTypesIn(report);
  const Texts expected = has_types ? DeadlocksOf(cases) : DeadlocksWithoutTypesOf(cases);
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
