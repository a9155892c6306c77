// The exceptions of a recording, in groups.
//
// A logical exception is one exception object from its first throw to its end, with every rethrow
// and every await on its way as a hop. Logical exceptions with the same type and the same path at
// the first throw are one group.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/bounded_counter.h"
#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"
#include "analyzer/model/histogram.h"
#include "analyzer/model/time_series.h"

namespace hindsight::analyzer {

using GroupId = uint32_t;  // index + 1 into ExceptionTable::groups; 0: none
using RouteId = uint32_t;  // index + 1 into ExceptionTable::routes; 0: none
using ThreadIndex = uint32_t;

enum class Hop : uint8_t {
  kNone,      // the first throw
  kRethrow,   // throw;
  kRestored,  // by an await, Task.Wait, ExceptionDispatchInfo
  kAgain,     // throw ex;
};
inline constexpr size_t kHopCount = 4;

// How one throw ended, as the recorder saw it.
enum class Outcome : uint8_t {
  kInFlight,
  kCaught,
  kReplaced,
  kLostInFilter,
  kUnhandled,
  kCaughtNative,
};
inline constexpr size_t kOutcomeCount = 6;

// How a logical exception ended.
enum class Ending : uint8_t {
  kUnhandled,     // no handler: it ended the process
  kInFlight,      // its end was not recorded
  kSwallowed,     // caught and never seen again
  kWrapped,       // caught, and then the inner exception of another one
  kReplaced,      // another exception left a finally block and took its place
  kLostInFilter,  // thrown in an exception filter: the runtime drops it
  kCaughtNative,  // ended by the runtime or native code
  kCaught,        // caught, but only counted: what became of it is unknown
};
inline constexpr size_t kEndingCount = 8;

// Throws that were only counted, because there was no room for their details.
struct ThrowCounts {
  uint64_t thrown = 0;
  uint64_t thrown_again = 0;  // of these, throws of an object that had been thrown before
  std::array<uint64_t, kOutcomeCount> ended{};  // indexed by Outcome; [kInFlight] stays 0
  uint64_t total_ns = 0;                        // from throw to end, of those that ended

  uint64_t Ended() const {
    uint64_t sum = 0;
    for (const uint64_t count : ended) sum += count;
    return sum;
  }
  void Add(const ThrowCounts& other) {
    thrown += other.thrown;
    thrown_again += other.thrown_again;
    for (size_t i = 0; i < kOutcomeCount; ++i) ended[i] += other.ended[i];
    total_ns += other.total_ns;
  }
};

// One throw of a logical exception, after those before it: a node in a tree of routes.
struct RouteStep {
  RouteId previous = 0;
  Hop hop = Hop::kNone;
  MethodId thrower = 0;  // StackNode::site of the throw
  Outcome outcome = Outcome::kInFlight;
  HandlerId handler = 0;
};

struct ExceptionGroup {
  static constexpr size_t kMessages = 32;
  static constexpr size_t kThreads = 64;
  static constexpr size_t kHandlers = 16;
  static constexpr size_t kRoutes = 16;
  static constexpr size_t kRelated = 16;
  static constexpr size_t kPlaces = 16;

  // Identity.
  TypeId type = 0;
  StackId stack = 0;         // of the first throw
  bool starts_late = false;  // earlier throws are not in the recording, or are too long ago
  ThreadIndex thread = 0;    // only if groups are separate for each thread
  bool is_rest = false;      // holds everything beyond ExceptionTable's limit of groups

  uint64_t count = 0;                        // logical exceptions, including those only counted
  std::array<uint64_t, kHopCount> throws{};  // indexed by Hop; [kNone]: first throws
  std::array<uint64_t, kEndingCount> endings{};
  uint64_t inferred_hops = 0;  // linked by type and message
  uint64_t truncated_stacks = 0;
  uint64_t finally_blocks = 0;
  uint64_t filters = 0;
  // The throws that were only counted. Their chains are not followed: each throw of an object that
  // had not been thrown before counts as an exception, and ends as that throw did. They are
  // included in `count`, `throws`, `endings`, `times`, `threads` and `total_ns`, and nowhere else.
  ThrowCounts counted;

  // Of the first throws, from the recording's start.
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  TimeSeries times;

  // From throw to catch, summed over the throws of a logical exception; only those that ended.
  Histogram durations;
  uint64_t total_ns = 0;

  // Of the first throws. Keys are hashes of the text; `message_texts` is parallel to the entries.
  BoundedCounter<uint64_t, kMessages> messages;
  std::vector<std::string> message_texts;  // their first kMaxMessageBytes
  BoundedCounter<ThreadIndex, kThreads> threads;
  BoundedCounter<CallId, kPlaces> places;  // `stack` with locations, where known
  // Of the exceptions that ended in a handler; and of those, the ones that were never seen again.
  BoundedCounter<HandlerId, kHandlers> handlers;
  BoundedCounter<HandlerId, kHandlers> swallowers;
  BoundedCounter<RouteId, kRoutes> routes;
  // Groups of the inner exceptions; of exceptions whose inner exception this was; of those that
  // replaced it; of those in whose filter or finally block it was thrown.
  BoundedCounter<GroupId, kRelated> causes;
  BoundedCounter<GroupId, kRelated> wrappers;
  BoundedCounter<GroupId, kRelated> replacers;
  BoundedCounter<GroupId, kRelated> thrown_during;

  uint64_t Throws() const {
    return throws[0] + throws[1] + throws[2] + throws[3] + counted.thrown_again;
  }
  // Exceptions that ended, and whose time is in total_ns.
  uint64_t Timed() const { return durations.count() + counted.Ended(); }
  uint64_t EndedAs(Ending ending) const { return endings[static_cast<size_t>(ending)]; }
  void AddMessage(uint64_t hash, std::string_view text);
  // `other` has the same identity, except for its thread.
  void Merge(const ExceptionGroup& other);

 private:
  void KeepText(size_t entry, std::string_view text);
};

inline constexpr size_t kMaxMessageBytes = 512;

// An exception without a recorded end, in a recording that breaks off.
struct OpenException {
  uint64_t id = 0;
  GroupId group = 0;
  ThreadIndex thread = 0;
  int64_t time_ns = 0;  // of its last throw
  bool caught_once = false;
  // An async method is on the stack, which stores what leaves it in its task.
  bool is_stored = false;
};

// One throw, including those that continue an earlier exception.
struct ThrowRow {
  int64_t at_ns = 0;
  ThreadIndex thread = 0;
  TypeId type = 0;
  StackId stack = 0;
  Hop hop = Hop::kNone;
};

struct ExceptionTable {
  static constexpr size_t kMaxGroups = 16384;
  static constexpr size_t kMaxRoutes = 1u << 18;
  static constexpr size_t kMaxOpen = 4096;

  std::vector<ExceptionGroup> groups;
  std::vector<RouteStep> routes;
  // Indexed by HandlerId: how often the exception that it caught was certainly rethrown by an
  // await.
  std::vector<uint64_t> restored_from;
  std::vector<OpenException> open;  // the first kMaxOpen
  // All throws, whatever the scope, for looking at individual ones. At most kMaxRows, thinned out
  // evenly beyond.
  static constexpr size_t kMaxRows = size_t{1} << 18;
  std::vector<ThrowRow> rows;

  uint64_t throws = 0;          // all, including those that a filter excluded
  uint64_t counted_throws = 0;  // of these, those that were only counted
  uint64_t starting_late = 0;   // logical exceptions whose first throw is unknown
  uint64_t stray_outcomes = 0;  // outcomes of unknown throws
  uint64_t repeated_ids = 0;    // throws with the id of an earlier one: damage
  uint64_t routes_refused = 0;  // beyond kMaxRoutes

  bool RestoredFrom(HandlerId handler) const {
    return handler < restored_from.size() && restored_from[handler] > 0;
  }
};

}  // namespace hindsight::analyzer
