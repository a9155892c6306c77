// Aggregates waits as they are read, by place, by lock and by what owners did; keeps unfinished
// ones.
//
// Waits arrive in the order of their ends, those that had not ended in time before them; so how
// many waited for a lock at the same time is counted a segment late, when everything that began in
// it is known.
//
// Memory: kMaxGroups of each kind, kMaxOpen waits that have not ended, and a segment's worth of
// others. Beyond that, waits are counted as refused. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/model/thinned_rows.h"
#include "analyzer/model/wait_spans.h"
#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

// Waits of one thread that were only counted, in the time before `at_ns`.
struct CountedWaits {
  uint64_t began = 0, total_ns = 0, longest_ns = 0;
  uint32_t thread = 0;  // ThreadIndex
  int64_t at_ns = 0;
  uint64_t interval_ns = 0;
};

class LockWaits {
 public:
  static constexpr size_t kMaxGroups = size_t{1} << 16;
  static constexpr size_t kMaxOpen = size_t{1} << 16;

  // `wait` at its beginning; `over`: it has already ended, after `duration_ns`.
  void OnWait(const OpenWait& wait, bool over, uint64_t duration_ns);
  // What became of a wait that was not over when it was reported.
  void OnNews(uint64_t id, bool over, uint64_t duration_ns, StackId owner_stack);
  // Waits that were only counted: how many began, and the sum and the longest of those that ended.
  void OnCounted(WaitKind kind, StackId stack, uint64_t lock, const CountedWaits& counts);
  // No wait will follow that began before what was added so far.
  void OnSegment();

  // Ends the aggregation; no calls may follow. Fills groups, holders, locks, lock_stacks, open,
  // rows, spans, span_sums and refused.
  void Finish(Waits& waits);

 private:
  struct GroupKey {
    WaitKind kind;
    StackId stack;
    bool operator==(const GroupKey&) const = default;
  };
  struct GroupKeyHash {
    size_t operator()(const GroupKey& key) const {
      return (uint64_t{key.stack} << 8 | static_cast<uint8_t>(key.kind)) * 0x9e3779b97f4a7c15u;
    }
  };
  struct StackPair {
    StackId stack;
    uint32_t with;  // index of a lock, or of a group of waits
    bool operator==(const StackPair&) const = default;
  };
  struct StackPairHash {
    size_t operator()(const StackPair& key) const {
      return (uint64_t{key.stack} << 32 | key.with) * 0x9e3779b97f4a7c15u;
    }
  };
  struct Step {  // a wait for `lock` begins or ends
    int64_t time_ns;
    uint32_t lock;  // index
    int32_t change;
    bool operator<(const Step& other) const {
      return time_ns != other.time_ns ? time_ns < other.time_ns : change < other.change;
    }
  };

  void Add(const OpenWait& wait, uint64_t duration_ns);
  // Index of the lock's group, or -1: none, or no room.
  int64_t LockOf(const OpenWait& wait);
  // Adds waits to their lock, and to the waits of this stack for it.
  void AddToLock(const OpenWait& wait, const CountedWaits& waits);

  std::unordered_map<GroupKey, uint32_t, GroupKeyHash> group_index_;
  std::unordered_map<uint64_t, uint32_t> lock_index_;
  std::unordered_map<StackPair, uint32_t, StackPairHash> lock_stack_index_;
  std::unordered_map<StackPair, uint32_t, StackPairHash> holder_index_;  // owner's, with a wait
  std::unordered_map<uint64_t, OpenWait> open_;                          // by id
  std::vector<WaitGroup> groups_;
  std::vector<LockGroup> locks_;
  std::vector<LockStackGroup> lock_stacks_;
  std::vector<HolderGroup> holders_;
  std::vector<int32_t> waiting_;  // indexed by lock: waiters at this moment
  std::vector<Step> steps_;
  uint64_t all_ = 0, counted_ = 0;
  ThinnedRows<WaitRow> rows_{Waits::kMaxRows};
  WaitSpans spans_;
  uint64_t refused_ = 0;
};

}  // namespace hindsight::analyzer
