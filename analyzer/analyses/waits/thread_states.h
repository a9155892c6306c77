// What each thread did at each moment of its life in a recording.
//
// Events are exact: waits for locks, and whatever else the runtime reports (Monitor.Wait, wait
// handles, tasks), from beginning to end; of nested waits, the innermost counts. For the remaining
// time between two thread snapshots, the kernel says how long the thread ran, and how long it was
// ready but had no processor; without thread snapshots, CPU samples say how long it ran. CPU
// samples also say when. The rest is what the nearer of the two snapshots shows: proved if the
// thread did not run at all, otherwise an estimate. A snapshot in the middle of a wait that an
// event reported says nothing about the rest, nor does one in which the thread was running.
//
// While all threads are stopped, a thread that would have run is paused; the time around the pause
// shows how likely that is. A thread that waits continues to wait.
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
  int64_t from_ns = 0, to_ns = 0;  // the time range that contains it
  uint64_t ns = 0;                 // its length, at most to_ns - from_ns
  // An event reported it, or the thread kept its stack and did not run.
  bool is_proved = false;
  const WallSite* wall_site = nullptr;  // null: it did not wait, or this is unknown
  uint64_t lock = 0;                    // the runtime's id; 0: none, or unknown
  ThreadIndex owner = 0;                // of that lock when the wait began; 0: unknown

  // The part of it before `at_ns`, assuming that it is spread evenly. Parts add up to the whole.
  uint64_t Before(int64_t at_ns) const;
};

// The life of a thread within the recording.
struct ThreadLife {
  ThreadIndex thread = 0;
  int64_t from_ns = 0, to_ns = 0;
};

class ThreadStates {
 public:
  // `model` must outlive this.
  explicit ThreadStates(const Model& model);

  // Threads that appear in thread snapshots, events or waits, and that lived for some time.
  const std::vector<ThreadLife>& lives() const { return lives_; }
  // Whether there are thread snapshots or waits.
  bool is_seen() const;

  // Visits each piece of each thread: thread by thread, and for each thread roughly in order of
  // time. The WallSites that they refer to live as long as this.
  void Each(const std::function<void(const StatePiece&)>& visit);

 private:
  const Model& model_;
  WallSites wall_sites_;
  std::vector<ThreadLife> lives_;
};

}  // namespace hindsight::analyzer
