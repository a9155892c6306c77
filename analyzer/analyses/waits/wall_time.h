// Wall-clock time: what threads did with all of their time, not just the time on a processor.
//
// See thread_states.h for what is exact, what is estimated, and what is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/thread_lanes.h"
#include "analyzer/analyses/waits/wall_sites.h"
#include "analyzer/analyses/waits/wall_times.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// A place where threads waited, in one way. Excludes idle threads.
struct WallPlace {
  WallState state = WallState::kSignal;
  MethodId site = 0;     // the method that waits, from a programmer's view (places.h)
  MethodId through = 0;  // what it called in others' code; 0: the wait itself
  uint64_t total_ns = 0;
  uint64_t proved_ns = 0;            // the exact part; the rest is an estimate
  std::vector<ThreadIndex> threads;  // most time first
  std::vector<MethodId> path;        // of the stack with most time, innermost first
};

// Time of one thread off the processor with a known stack, when it was not idle.
struct WallStack {
  ThreadIndex thread = 0;
  WallState state = WallState::kSignal;
  uint64_t total_ns = 0;
  std::vector<MethodId> path;  // innermost first
};

struct WallThread {
  ThreadIndex thread = 0;
  int64_t from_ns = 0, to_ns = 0;  // its life in the recording, which is the sum of its times
  WallTimes times;
  MethodId site = 0;  // where it waited most, idle or not; 0: unknown
};

struct WallReport {
  explicit WallReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;    // the examined part of the recording
  bool is_seen = false;              // there are waits or thread snapshots
  WallTimes times;                   // of all threads together
  uint64_t stopped_ns = 0;           // for which all managed threads were stopped
  std::vector<WallPlace> places;     // most time first
  std::vector<WallStack> stacks;     // their stacks, ordered by thread
  std::vector<WallThread> threads;   // those with the most time that was not idle first
  std::optional<ThreadLanes> lanes;  // if asked for
};

struct WallQuery {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  uint32_t lane_parts = 0;  // 0: no lanes
};

WallReport AnalyzeWallTime(const Model& model, const WallQuery& query = {});

}  // namespace hindsight::analyzer
