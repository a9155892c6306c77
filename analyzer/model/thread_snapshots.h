// Thread snapshots while they are read: how long each thread has had its stack.
//
// Keeps the first and the newest whole snapshot, between them the newest that was taken because the
// pool made no progress and the one with most threads, and of each thread the last standing:
// bounded by threads, not by snapshots. Sums up what threads did in between: kMaxThreadTimes
// threads, and kMaxOffCpu pairs of thread and stack; what is beyond counts as refused.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

class ThreadSnapshotTracker {
 public:
  // A snapshot begins; the one before it is complete, or never will be.
  void Begin(ThreadSnapshot head);
  // A thread of snapshot `number`; dropped if that is not the one that has begun.
  void Add(uint32_t number, const ThreadInSnapshot& thread);
  // Into the members of `waits` that are about snapshots.
  void Finish(Waits& waits);

 private:
  static constexpr size_t kMaxThreads = 1u << 16;  // of a snapshot
  static constexpr size_t kMaxThreadTimes = 1u << 16;
  static constexpr size_t kMaxOffCpu = 1u << 18;

  void Complete();
  void Keep(ThreadSnapshot snapshot);
  // What threads did between the last whole snapshot and the open one, which is whole.
  void SumRuns();
  void SumTimes(uint64_t interval_ns);
  void AddOffCpu(const ThreadInSnapshot& thread, uint64_t ns, bool is_proved);

  bool is_open_ = false;
  ThreadSnapshot open_;
  std::unordered_map<uint32_t, ThreadInSnapshot> last_;  // by thread
  bool has_first_ = false, has_newest_ = false;
  ThreadSnapshot first_, newest_;
  ThreadSnapshot stalled_, largest_;  // without threads: there is none
  // Of whole snapshots.
  int64_t last_at_ns_ = 0;
  bool last_tells_ready_ = false;
  bool last_is_whole_ = false;  // the snapshot before
  double ran_ns_ = 0, ready_ns_ = 0, ready_over_ns_ = 0;
  std::unordered_map<uint32_t, ThreadTime> times_;    // by thread
  std::unordered_map<uint64_t, OffCpuTime> off_cpu_;  // by thread and stack
  int64_t times_from_ns_ = 0, times_to_ns_ = 0;
  uint64_t refused_ = 0;
  uint32_t count_ = 0;
  uint64_t pause_ns_ = 0, longest_pause_ns_ = 0;
};

}  // namespace hindsight::analyzer
