// Waits, thread stacks and thread pool counters.
//
// Bounded by distinct waits and by threads, not by events: finished waits are summed up by kind,
// place and owner; only those that never ended are kept individually.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start unless noted otherwise.

enum class WaitKind : uint8_t { kUnknown, kMonitor, kLock, kMonitorWait, kWaitHandle, kTask };

// Waits with the same kind and stack.
struct WaitGroup {
  WaitKind kind = WaitKind::kUnknown;
  StackId stack = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
  int64_t longest_at_ns = 0;
  uint64_t lock_of_longest = 0;     // the runtime's id
  uint32_t longest_owner = 0;       // ThreadIndex; 0: unknown
  StackId longest_owner_stack = 0;  // sampled; 0: not sampled
};

// A lock, by the runtime's id. Ids of dead locks are reused, so this may be several locks, one
// after the other.
struct LockGroup {
  WaitKind kind = WaitKind::kUnknown;
  uint64_t lock = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
  uint32_t waiters_at_most = 0;  // the most at the same time
};

// Waits of one stack for one lock, by the runtime's id.
struct LockStackGroup {
  uint64_t lock = 0;
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint64_t count = 0;
  uint64_t total_ns = 0;
};

// What owners of locks did while others waited, where it was sampled: waits by the owner's stack,
// and by their own kind and stack.
struct HolderGroup {
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
  StackId waiter = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
};

// A wait at its beginning. Those in Waits::open had not ended when the recording did, or when it
// lost track of them.
struct OpenWait {
  uint64_t id = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint32_t thread = 0;  // ThreadIndex
  uint64_t lock = 0;
  uint64_t object = 0;  // its address at the beginning
  uint32_t owner = 0;   // ThreadIndex; 0: unknown
  StackId stack = 0;
  StackId owner_stack = 0;
  int64_t start_ns = 0;
};

// A finished wait.
struct WaitRow {
  int64_t at_ns = 0;
  uint64_t duration_ns = 0;
  uint32_t thread = 0;  // ThreadIndex
  WaitKind kind = WaitKind::kUnknown;
  StackId stack = 0;
};

struct ThreadInSnapshot {
  uint32_t thread = 0;  // ThreadIndex
  StackId stack = 0;
  uint64_t cpu_ns = 0;         // since the thread began; 0: unknown
  uint64_t cpu_before_ns = 0;  // at the previous snapshot; 0: unknown
  uint64_t switches = 0;
  uint64_t ready_ns = 0;  // time it could have run but had no processor, since it began; 0: unknown
  ThreadRunState state = ThreadRunState::kUnknown;
  uint64_t waits_for = 0;   // monitor, by the runtime's id; 0: none, or unknown
  uint32_t lock_owner = 0;  // ThreadIndex; 0: none, or unknown
  // The first in an unbroken series of snapshots, up to this one, in which the thread had exactly
  // this stack and did not run. Equal to the snapshot's own time if the thread has made progress
  // since the previous one.
  int64_t unchanged_since_ns = 0;
};

struct ThreadSnapshot {
  enum class Trigger : uint8_t {
    kUnknown,
    kRequested,
    kPeriodic,
    kNoProgress,
    kHeap,
    kLast,
    kFirst
  };
  uint32_t number = 0;
  Trigger trigger = Trigger::kUnknown;
  int64_t at_ns = 0;
  uint64_t stopping_ns = 0, pause_ns = 0;
  uint32_t heap_snapshot = 0;  // taken right after it; 0: none
  uint32_t announced = 0;      // threads that it should have
  std::vector<ThreadInSnapshot> threads;
};

// The state of a thread at one end of a ThreadInterval.
struct ThreadStatus {
  StackId stack = 0;  // 0: no managed frame
  ThreadRunState state = ThreadRunState::kUnknown;
  uint32_t lock_owner = 0;  // as in ThreadInSnapshot
  uint64_t waits_for = 0;
};

// What the kernel counted for a thread between two thread snapshots that contain it.
struct ThreadInterval {
  uint32_t thread = 0;      // ThreadIndex
  bool from_begin = false;  // counted since the thread began; `from_ns` and `before` are not set
  bool is_unmoved = false;  // it did not run, and has the same stack at both ends
  int64_t from_ns = 0, to_ns = 0;
  uint64_t ran_ns = 0;    // at most the interval
  uint64_t ready_ns = 0;  // it could have run but had no processor; at most the rest
  ThreadStatus before, after;
};

// One finished wait of a thread.
struct WaitSpan {
  int64_t at_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t lock = 0;    // the runtime's id
  uint32_t thread = 0;  // ThreadIndex
  uint32_t owner = 0;   // ThreadIndex; 0: unknown
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
};

// Waits of a thread of which only the sum is kept: they all lie within this span.
struct WaitSum {
  int64_t from_ns = 0, to_ns = 0;
  uint64_t total_ns = 0;
  uint64_t lock = 0;
  uint32_t thread = 0;
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
};

struct PoolAdjustmentInfo {
  enum class Reason : uint8_t {
    kWarmup,
    kInitializing,
    kRandomMove,
    kClimbingMove,
    kChangePoint,
    kStabilizing,
    kStarvation,
    kTimedOut,
    kCooperativeBlocking,
    kUnknown
  };
  int64_t at_ns = 0;
  uint32_t workers = 0;
  double throughput = 0;
  Reason reason = Reason::kUnknown;
};

struct PoolSampleInfo {
  int64_t at_ns = 0;
  uint32_t workers = 0;
  uint64_t queue_length = 0;
  uint64_t completed = 0;
};

struct Waits {
  std::vector<WaitGroup> groups;
  std::vector<HolderGroup> holders;
  std::vector<LockGroup> locks;
  std::vector<LockStackGroup> lock_stacks;
  std::vector<OpenWait> open;  // ordered by start
  // Finished waits, for looking at individual ones, ordered by end. At most kMaxRows, thinned out
  // evenly beyond.
  static constexpr size_t kMaxRows = size_t{1} << 18;
  std::vector<WaitRow> rows;
  uint64_t all = 0;      // all waits
  uint64_t counted = 0;  // waits that were only counted: in groups and locks alone
  uint64_t refused = 0;  // groups beyond the analyzer's limit, counted by their waits

  // Complete ones, in order: the first, the newest, and between them the newest one taken because
  // the pool made no progress and the one with the most threads. Empty if none is complete.
  std::vector<ThreadSnapshot> snapshots;
  uint32_t snapshot_count = 0;
  uint64_t snapshot_pause_ns = 0, longest_snapshot_pause_ns = 0;
  // Of all threads together, between thread snapshots that show it: time running, time in which
  // they could have run but had no processor, and the time between those snapshots.
  double ran_ns = 0, ready_ns = 0, ready_over_ns = 0;
  // Ordered by thread, then by time; see ThreadIntervals for the limits.
  std::vector<ThreadInterval> intervals;
  // Finished waits, ordered by thread, then by start: the longest, and sums of all others; see
  // WaitSpans.
  std::vector<WaitSpan> spans;
  std::vector<WaitSum> span_sums;

  // At most kMaxPoolRows each; thinned out evenly beyond.
  static constexpr size_t kMaxPoolRows = 4096;
  std::vector<PoolAdjustmentInfo> adjustments;
  std::vector<PoolSampleInfo> samples;
  uint64_t starvations = 0;  // all adjustments with that reason
};

}  // namespace hindsight::analyzer
