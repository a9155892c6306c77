// Follows every exception from its first throw to its end and adds it to its group.
//
// Throws arrive in the order in which the recorder emptied its threads' rings, which is nearly that
// of their ids; a hop may arrive before the throw it continues. So throws are linked about kReorder
// throws late, in order of their ids. A throw is remembered while its chain may continue: the last
// kWindow throws, and those still in flight (at most kMaxInFlight of them) for as long as it takes.
// An exception that is thrown again later than that counts as a separate one, marked `starts_late`.
//
// Memory: about 100 MiB at the limits, plus the groups. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/base/column.h"
#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"
#include "analyzer/model/exceptions.h"
#include "analyzer/model/thinned_rows.h"

namespace hindsight::analyzer {

struct ThrowOutcome {
  Outcome kind = Outcome::kInFlight;
  HandlerId handler = 0;
  uint64_t throw_to_end_ns = 0;
  uint32_t finally_count = 0;
  uint32_t filter_count = 0;
};

struct Throw {
  uint64_t id = 0;        // from 1; ids grow in the order of throwing
  int64_t time_ns = 0;    // from the recording's start
  uint64_t previous = 0;  // id of the throw that this one continues; 0: a first throw
  uint64_t cause = 0;     // id of a throw of its InnerException; 0: none known
  uint64_t during = 0;    // id of the throw whose filter or finally block threw this one; 0: none
  TypeId type = 0;
  StackId stack = 0;
  CallId call = 0;  // the stack, with locations
  ThreadIndex thread = 0;
  Hop hop = Hop::kNone;
  bool hop_inferred = false;
  bool stack_truncated = false;
  ThrowOutcome outcome;
};

// Throws of one group that were only counted.
struct CountedThrows {
  int64_t from_ns = 0, to_ns = 0;  // from the recording's start
  TypeId type = 0;
  StackId stack = 0;
  CallId call = 0;
  ThreadIndex thread = 0;
  ThrowCounts counts;
};

// Which logical exceptions are counted, by their first throw.
struct ExceptionScope {
  int64_t from_ns = INT64_MIN;  // from the recording's start; to_ns is exclusive
  int64_t to_ns = INT64_MAX;
  bool apart_by_thread = false;  // a separate group for each thread
};

class ExceptionTracker {
 public:
  static constexpr size_t kWindow = size_t{1} << 19;
  static constexpr size_t kReorder = size_t{1} << 16;
  static constexpr size_t kMaxInFlight = size_t{1} << 16;

  // `dictionaries` must outlive the tracker.
  ExceptionTracker(const Dictionaries& dictionaries, const ExceptionScope& scope);

  // `message` is valid only during the call; `has_message` false: none was recorded.
  void OnThrow(const Throw& thrown, bool has_message, std::string_view message);
  void OnOutcome(uint64_t id, const ThrowOutcome& outcome);
  void OnCounted(const CountedThrows& counted);

  // An access violation on this thread ended the process: its exception cannot be caught.
  void OnAccessViolation(ThreadIndex thread) { violated_on_ = thread; }

  // Ends every chain; no calls may follow.
  ExceptionTable Finish();

 private:
  struct Record {
    Throw thrown;
    uint64_t next = 0;      // id of the throw that continued this one
    uint64_t chain_ns = 0;  // from throw to end, summed over the throws before this one
    GroupId group = 0;      // 0: out of scope
    RouteId route = 0;      // of the throws before this one
    GroupId wrapper = 0;
    GroupId replacer = 0;
    bool is_linked = false;
    bool is_wrapped = false;
  };
  struct GroupKey {
    TypeId type;
    StackId stack;
    ThreadIndex thread;
    bool starts_late;
    bool operator==(const GroupKey&) const = default;
  };
  struct GroupKeyHash {
    size_t operator()(const GroupKey& key) const;
  };
  struct RouteStepHash {
    size_t operator()(const RouteStep& step) const;
  };
  struct RouteStepEqual {
    bool operator()(const RouteStep& a, const RouteStep& b) const;
  };
  struct StashedMessage {
    uint64_t hash;
    std::string text;
  };

  Record* Find(uint64_t id);
  // The last throw of the chain that contains `id`, as far as it is remembered.
  Record* FindTail(uint64_t id);
  Record& PlaceFor(uint64_t id);
  void Evict(Record& record);

  void StartChain(Record& record, bool starts_late);
  void LinkOldest(size_t count);
  void Link(Record& record);
  bool MayBeAwait(StackId stack) const;  // where a restored exception is thrown
  bool IsInAsync(StackId stack) const;
  void LinkRelatives(Record& record);
  void End(Record& record);
  bool EndedProcess(const Throw& thrown) const;
  void EndCounted(ExceptionGroup& group) const;

  GroupId GroupFor(const Throw& thrown, bool starts_late);
  ExceptionGroup& group(GroupId id) { return table_.groups[id - 1]; }
  RouteId RouteThrough(const Record& record);
  bool InScope(const Throw& thrown) const {
    return thrown.time_ns >= scope_.from_ns && thrown.time_ns < scope_.to_ns;
  }

  const Dictionaries& dictionaries_;
  ExceptionScope scope_;
  ExceptionTable table_;
  ThinnedRows<ThrowRow> rows_{ExceptionTable::kMaxRows};
  // Indexed by a throw's id modulo the size. Only the pages in use take memory.
  Column<Record> window_{kWindow};
  size_t reach_ = 0;                                // the last used place in it + 1
  std::vector<uint64_t> fresh_;                     // ids not linked yet, in order of arrival
  std::unordered_map<uint64_t, Record> in_flight_;  // pushed out of the window
  std::unordered_map<uint64_t, StashedMessage> hop_messages_;  // until linked
  std::unordered_map<GroupKey, GroupId, GroupKeyHash> group_index_;
  std::unordered_map<RouteStep, RouteId, RouteStepHash, RouteStepEqual> route_index_;
  GroupId rest_ = 0;
  ThreadIndex violated_on_ = 0;  // 0: none
};

}  // namespace hindsight::analyzer
