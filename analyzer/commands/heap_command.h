// Code shared by the commands on heap snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct HeapCommandOptions {
  std::vector<std::string> paths;
  std::optional<uint32_t> snapshot;
  bool json = false;
  std::string target;    // TYPE or ADDRESS, for commands with one
  size_t top = 20;       // rows shown; 0: all
  double min_share = 1;  // percent, for trees
  uint32_t depth = 64;   // likewise
  std::string sort;      // for `heap`
  bool all = false;      // for `retained`

  size_t Rows() const { return top == 0 ? SIZE_MAX : top; }
};

enum class HeapNeeds { kGraph, kDominators, kPaths, kBoth };

struct Heap {
  std::unique_ptr<HeapModel> model;
  // Present if requested.
  std::optional<Dominators> dominators;
  std::optional<RootPaths> paths;
};

// Reads the snapshot (ReadHeap), and computes what is needed: dominators and paths concurrently.
Result<Heap> LoadHeap(Recording& recording, std::optional<uint32_t> snapshot, HeapNeeds needs,
                      bool shows_progress = true);
// The same if nothing else is read.
Result<Heap> LoadHeap(std::span<const std::string> paths, std::optional<uint32_t> snapshot,
                      HeapNeeds needs);
inline Result<Heap> LoadHeap(const HeapCommandOptions& options, HeapNeeds needs) {
  return LoadHeap(options.paths, options.snapshot, needs);
}

// What a command on snapshots has in addition to --snapshot and --json.
using HeapRun = ExitCode (*)(const HeapCommandOptions& options);
struct HeapCommand {
  const char* target = nullptr;  // placeholder of its first argument: TYPE; nullptr: it has none
  const char* target_help = nullptr;
  bool has_top = false;
  bool has_tree = false;
  HeapRun run = nullptr;  // runs last
};
// `options`: with the command's defaults.
void DescribeHeapCommand(cli::Command& command, const HeapCommand& traits,
                         const std::shared_ptr<HeapCommandOptions>& options);

// The style of texts on stdout.
TextStyle StdoutStyle();

}  // namespace hindsight::analyzer
