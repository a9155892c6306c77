// Waits, thread stacks and thread pool counters.
//
// Bounded by distinct waits and by threads, not by events: waits that are over are summed up by
// their kind, place and owner; only those that never ended are kept one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start unless they say otherwise.

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
  uint32_t longest_owner = 0;       // ThreadIndex; 0 not known
  StackId longest_owner_stack = 0;  // sampled; 0: it was not
};

// A lock by the runtime's id of it. Ids are used again when a lock has died, so what is here may
// be several locks, one after the other.
struct LockGroup {
  WaitKind kind = WaitKind::kUnknown;
  uint64_t lock = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
  uint32_t waiters_at_most = 0;  // at the same time
};

// Waits of one stack for one lock, by the runtime's id of it.
struct LockStackGroup {
  uint64_t lock = 0;
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint64_t count = 0;
  uint64_t total_ns = 0;
};

// What owners of locks did while others waited, where that was sampled: waits by the owner's stack.
struct HolderGroup {
  StackId stack = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
};

// A wait as it began. Those in Waits::open had not ended when the recording did, or lost sight of
// them.
struct OpenWait {
  uint64_t id = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint32_t thread = 0;  // ThreadIndex
  uint64_t lock = 0;
  uint64_t object = 0;  // address as it began
  uint32_t owner = 0;   // ThreadIndex; 0 not known
  StackId stack = 0;
  StackId owner_stack = 0;
  int64_t start_ns = 0;
};

// A wait that is over.
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
  uint64_t cpu_ns = 0;         // since the thread began; 0 not known
  uint64_t cpu_before_ns = 0;  // at the previous snapshot; 0 not known
  uint64_t switches = 0;
  uint64_t ready_ns = 0;  // that it could run and had no processor, since it began; 0 not known
  ThreadRunState state = ThreadRunState::kUnknown;
  uint64_t waits_for = 0;   // monitor, by the runtime's id; 0: none, or not known
  uint32_t lock_owner = 0;  // ThreadIndex; 0: nobody, or not known
  // Of the first snapshot in a row, up to this one, in which the thread had this very stack and
  // did not run. Equal to the snapshot's own time if it has made progress since the one before.
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
  uint32_t heap_snapshot = 0;  // that was made right after it; 0: none
  uint32_t announced = 0;      // threads that it should have
  std::vector<ThreadInSnapshot> threads;
};

// How a thread stood at one end of a ThreadInterval.
struct ThreadStatus {
  StackId stack = 0;  // 0: no managed frame
  ThreadRunState state = ThreadRunState::kUnknown;
  uint32_t lock_owner = 0;  // as in ThreadInSnapshot
  uint64_t waits_for = 0;
};

// What the kernel counted of a thread between two thread snapshots that show it.
struct ThreadInterval {
  uint32_t thread = 0;      // ThreadIndex
  bool from_begin = false;  // counted since the thread began; `from_ns` and `before` are not set
  bool is_unmoved = false;  // it did not run, and has one stack at both ends
  int64_t from_ns = 0, to_ns = 0;
  uint64_t ran_ns = 0;    // at most the interval
  uint64_t ready_ns = 0;  // it could run and had no processor; at most the rest
  ThreadStatus before, after;
};

// One wait of a thread that is over.
struct WaitSpan {
  int64_t at_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t lock = 0;    // the runtime's id
  uint32_t thread = 0;  // ThreadIndex
  uint32_t owner = 0;   // ThreadIndex; 0 not known
  StackId stack = 0;
  WaitKind kind = WaitKind::kUnknown;
};

// Waits of a thread of which only the sum is here: they all lay within a stretch of time.
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
  std::vector<OpenWait> open;  // by start
  // For looking at single ones, in the order of their ends. At most kMaxRows, thinned out evenly
  // beyond.
  static constexpr size_t kMaxRows = size_t{1} << 18;
  std::vector<WaitRow> rows;
  uint64_t all = 0;      // waits
  uint64_t counted = 0;  // of them, those that were only counted: in groups and locks alone
  uint64_t refused = 0;  // groups beyond the analyzer's limit, by count of their waits

  // Whole ones, in their order: the first, the newest, and between them the newest that was taken
  // because the pool made no progress and the one with most threads. None if there is none.
  std::vector<ThreadSnapshot> snapshots;
  uint32_t snapshot_count = 0;
  uint64_t snapshot_pause_ns = 0, longest_snapshot_pause_ns = 0;
  // Of all threads together, between thread snapshots that show it: that they ran, that they could
  // run and had no processor, and the time between those snapshots.
  double ran_ns = 0, ready_ns = 0, ready_over_ns = 0;
  // By thread, and of one thread by time; see ThreadIntervals for the limits.
  std::vector<ThreadInterval> intervals;
  // Waits that are over, by thread and then by start: the longest, and sums of all others; see
  // WaitSpans.
  std::vector<WaitSpan> spans;
  std::vector<WaitSum> span_sums;

  // At most kMaxPoolRows each; thinned out evenly beyond.
  static constexpr size_t kMaxPoolRows = 4096;
  std::vector<PoolAdjustmentInfo> adjustments;
  std::vector<PoolSampleInfo> samples;
  uint64_t starvations = 0;  // adjustments with that reason, all of them
};

}  // namespace hindsight::analyzer
