// Wall-clock time: what threads did with all of their time, not only with that on a processor.
//
// See thread_states.h for what is exact, what is an estimate, and what is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/wall_sites.h"
#include "analyzer/analyses/waits/thread_lanes.h"
#include "analyzer/analyses/waits/wall_times.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Where threads waited, in one way. Not those that were idle.
struct WallPlace {
  WallState state = WallState::kSignal;
  MethodId site = 0;     // the method that waits, to a programmer (places.h)
  MethodId through = 0;  // what it called of others' code; 0: the wait itself
  uint64_t total_ns = 0;
  uint64_t proved_ns = 0;            // of that, exact; the rest is an estimate
  std::vector<ThreadIndex> threads;  // most time first
  std::vector<MethodId> path;        // of the stack with most time, innermost first
};

// Time of one thread off the processor, of which its stack was seen and that was not idle.
struct WallStack {
  ThreadIndex thread = 0;
  WallState state = WallState::kSignal;
  uint64_t total_ns = 0;
  std::vector<MethodId> path;  // innermost first
};

struct WallThread {
  ThreadIndex thread = 0;
  int64_t from_ns = 0, to_ns = 0;  // its life in the recording: the sum of its times
  WallTimes times;
  MethodId site = 0;  // where it waited most, idle or not; 0: nobody knows
};

struct WallReport {
  explicit WallReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // outlives the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;    // of the recording, what was looked at
  bool is_seen = false;              // there are waits or thread snapshots to tell from
  WallTimes times;                   // of all threads together
  uint64_t stopped_ns = 0;           // all managed threads were stopped so long
  std::vector<WallPlace> places;     // most time first
  std::vector<WallStack> stacks;     // what they are made of, by thread
  std::vector<WallThread> threads;   // those with the most time that was not idle first
  std::optional<ThreadLanes> lanes;  // if asked for
};

struct WallQuery {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  uint32_t lane_parts = 0;  // 0: no lanes
};

WallReport AnalyzeWallTime(const Model& model, const WallQuery& query = {});

}  // namespace hindsight::analyzer
