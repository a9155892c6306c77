// Threads: lifetimes, current stacks, and how they ended.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/thread_stacks.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ThreadFinding {
  enum class State {
    kEnded,
    kAlive,     // when the recording was closed
    kUnknown,   // no end was recorded, and the recording breaks off
    kInFlight,  // likewise, with an exception that had not been caught
  };
  ThreadIndex thread = 0;
  State state = State::kUnknown;
  // From the recording's start. Without `has_start` it began before: the lifetime is a lower bound.
  bool has_start = false;
  int64_t start_ns = 0;
  bool has_end = false;
  int64_t end_ns = 0;
  uint64_t lifetime_ns = 0;  // within the recording, or as far as known
  uint64_t throws = 0;
};

struct ThreadReport {
  explicit ThreadReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  std::vector<ThreadFinding> findings;  // ordered by start
  uint64_t unknown_throws = 0;          // on unknown threads
  ThreadStackReport thread_stacks;
};

ThreadReport AnalyzeThreads(const Model& model, const ThreadStackRules& rules);

}  // namespace hindsight::analyzer
