// What each thread did at each moment of its life in a recording.
//
// Events count exactly: waits for locks, and what else the runtime reports (Monitor.Wait, wait
// handles, tasks), from their beginnings to their ends; the innermost of waits within each other.
// Of the time that is left, the kernel says between two thread snapshots how long the thread ran,
// and how long it could run and had no processor; where there are none, CPU samples say how long it
// ran. CPU samples also say when. The rest is what the nearer one of both snapshots shows: proved
// where the thread did not run at all, else an estimate. A snapshot in the middle of a wait that an
// event has reported says nothing about the rest, nor does one that met the thread running.
//
// While all threads are stopped, one that would have run is paused; how likely that is, the time
// around the pause tells. One that waits goes on waiting.
//
// What nothing reports is unknown. The states of a thread add up to its life, to the nanosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/analyses/waits/wall_sites.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// A part of a thread's time.
struct StatePiece {
  ThreadIndex thread = 0;
  WallState state = WallState::kUnknown;
  int64_t from_ns = 0, to_ns = 0;  // it lies in there
  uint64_t ns = 0;                 // and is so long, at most to_ns - from_ns
  // An event reported it, or the thread kept its stack and did not run.
  bool is_proved = false;
  const WallSite* wall_site = nullptr;  // null: it did not wait, or nobody knows
  uint64_t lock = 0;                    // the runtime's id; 0: none, or not known
  ThreadIndex owner = 0;                // who held it as the wait began; 0: not known

  // Of it before `at_ns`, as if it were spread evenly. Parts add up to the whole.
  uint64_t Before(int64_t at_ns) const;
};

// Of a thread, within the recording.
struct ThreadLife {
  ThreadIndex thread = 0;
  int64_t from_ns = 0, to_ns = 0;
};

class ThreadStates {
 public:
  // `model` outlives this.
  explicit ThreadStates(const Model& model);

  // Threads that thread snapshots, events or waits report, and that lived for some time.
  const std::vector<ThreadLife>& lives() const { return lives_; }
  // There are thread snapshots or waits.
  bool is_seen() const;

  // Each piece of each thread: thread by thread, of one thread roughly in the order of time. The
  // standings that they refer to live as long as this.
  void Each(const std::function<void(const StatePiece&)>& visit);

 private:
  const Model& model_;
  WallSites wall_sites_;
  std::vector<ThreadLife> lives_;
};

}  // namespace hindsight::analyzer
