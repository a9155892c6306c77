// Thread snapshots as they are read: how long each thread has had its stack.
//
// Keeps the first and the newest complete snapshot, and between them the newest one taken because
// the pool made no progress and the one with the most threads; and the last state of each thread.
// So memory is bounded by threads, not by snapshots.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/model/thread_intervals.h"
#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

class ThreadSnapshotTracker {
 public:
  // A snapshot begins; the previous one is complete, or never will be.
  void Begin(ThreadSnapshot head);
  // A thread of snapshot `number`; dropped if that is not the current one.
  void Add(uint32_t number, const ThreadInSnapshot& thread);
  // Fills the members of `waits` that are about snapshots.
  void Finish(Waits& waits);

 private:
  static constexpr size_t kMaxThreads = 1u << 16;  // in a snapshot

  void Complete();
  void Keep(ThreadSnapshot snapshot);
  // Adds what threads did between the last complete snapshot and the open one, which is complete.
  void SumRuns();

  bool is_open_ = false;
  ThreadSnapshot open_;
  std::unordered_map<uint32_t, ThreadInSnapshot> last_;  // by thread
  bool has_first_ = false, has_newest_ = false;
  ThreadSnapshot first_, newest_;
  ThreadSnapshot stalled_, largest_;  // without threads: there is none
  // Of complete snapshots.
  int64_t last_at_ns_ = 0;
  bool last_has_ready_ = false;
  double ran_ns_ = 0, ready_ns_ = 0, ready_over_ns_ = 0;
  ThreadIntervals intervals_;
  uint32_t count_ = 0;
  uint64_t pause_ns_ = 0, longest_pause_ns_ = 0;
};

}  // namespace hindsight::analyzer
