// Snapshots that the real recorder took of a sample, walked reference by reference.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/heap_graph.h"
#include "tests/live/harness/application.h"
#include "tests/live/harness/heap_truth.h"

namespace hindsight::live {

// A sample about heaps that runs until it is asked to end.
class HeapApplication : public SampleApplication {
 public:
  // `environment`: of the runtime and the recorder. Waits until the heap is built.
  HeapApplication(int runtime, const std::string& sample, std::vector<std::string> arguments = {},
                  EnvironmentVariables environment = {});
};

// Throws std::runtime_error when it can't be read.
std::unique_ptr<analyzer::HeapModel> ReadSnapshot(const std::filesystem::path& path);

// What its tables say about it, whether or not it has objects.
analyzer::HeapFacts FactsOf(const std::filesystem::path& path);

// Why the snapshot is not complete according to its own end packet; empty if it is. Compares with
// what is in the file.
std::string Defects(const analyzer::HeapModel& model);

// What is reachable in it, by a search of its own: roots, and dependents whose keys are alive.
std::vector<bool> Reachable(const analyzer::HeapGraph& graph);

// A sample's objects that are alive in it.
HeapContents ContentsOf(const analyzer::HeapModel& model, std::string_view sample);

// Nodes that BigHeap keeps: all of them are in each snapshot, whatever else it does.
uint64_t BigHeapNodes(const HeapContents& contents);

// Objects that handles hold, by kind ("strong handle", "pinned handle") and type.
std::map<std::pair<std::string, std::string>, uint64_t> HandlesOf(const analyzer::HeapModel& model,
                                                                  std::string_view sample);

}  // namespace hindsight::live
