// The states of threads over time: a lane for each thread, divided into equal parts of the
// recording.
//
// Made from the same pieces as the sums of `hindsight wall`, so that a lane's times add up to its
// thread's.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/waits/thread_states.h"
#include "analyzer/analyses/waits/wall_times.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct LaneRules {
  // If a state has this share of each of several neighboring parts, they are one run, provided that
  // what the thread waits for is also the same. Other parts are separate runs.
  double of_one_state = 0.9;
  // A thread that has something to do for less than this share of its life is idle.
  double to_do = 0.01;
};

// Neighboring parts.
struct LaneRun {
  uint32_t first_part = 0, parts = 0;
  WallState state = WallState::kUnknown;  // the one with most of the time
  WallTimes times;
  // What it waited for most in that state; 0: nothing, or unknown.
  MethodId site = 0, through = 0;
  uint64_t lock = 0;
  ThreadIndex owner = 0;  // of that lock
};

struct ThreadLane {
  ThreadIndex thread = 0;
  WallTimes times;
  bool is_idle = false;
  std::vector<LaneRun> runs;  // ordered by time; none where the thread did not live
};

struct ThreadLanes {
  int64_t from_ns = 0, to_ns = 0;
  uint32_t parts = 0;
  std::vector<ThreadLane> lanes;  // those with most to do first, idle ones last

  // Where part `part` begins.
  int64_t At(uint32_t part) const;
};

// Pieces must be added thread by thread.
class LaneBuilder {
 public:
  // `parts` is at least 1.
  LaneBuilder(int64_t from_ns, int64_t to_ns, uint32_t parts, const LaneRules& rules = {});

  void Add(const StatePiece& piece);
  ThreadLanes Take();

 private:
  // What a thread waited for in a part.
  struct Wait {
    const WallSite* wall_site = nullptr;
    uint64_t lock = 0;
    ThreadIndex owner = 0;
    uint64_t ns = 0;
  };
  struct Cell {
    WallTimes times;
    std::vector<Wait> waits;
  };

  uint32_t PartOf(int64_t at_ns) const;
  bool IsIn(uint32_t part, int64_t at_ns) const;
  void AddWait(Cell& cell, const StatePiece& piece, uint64_t ns);
  LaneRun RunOf(const Cell& cell, uint32_t part) const;
  bool IsPure(const LaneRun& run) const;
  void FinishThread();

  const LaneRules rules_;
  ThreadLanes lanes_;
  std::vector<int64_t> begins_;  // of each part; the last one is where all end
  ThreadIndex thread_ = 0;
  uint32_t part_ = 0;        // of the last piece: the next one is often there
  std::vector<Cell> cells_;  // of the current thread
};

}  // namespace hindsight::analyzer
