// What accumulates in a heap, and which accumulations look like leaks.
//
// The rules. An accumulation is where the dominator tree fans out to many objects of one class (or
// to a chain or tree of them); those that are held in the same way are merged, and so are the parts
// of one collection of the application, and timers of one class. One snapshot cannot show that a
// heap grows, so an accumulation is a suspect only if
//   - it has at least `min_count` objects, and
//   - its shape is one that healthy programs do not have: this many subscribers of one event,
//     timers, closures, GC handles or registrations with one CancellationToken, which retain
//     `min_shape_bytes`; or
//   - it is a collection or a cache (also of a single thread) that retains `min_bytes` and
//     `min_share` of the reachable heap, and nothing shows that entries leave it (a List counts its
//     changes, a Dictionary its free entries, which indicate a bounded cache if recorded).
// Never a suspect: plain memory (arrays and strings without references: buffers), and whatever
// belongs to the framework all the way from the root (type caches, interned strings, pools), unless
// it is most of the heap, or only the application can have put it there: entries of a MemoryCache,
// linked CancellationTokenSources on which nothing waits, and interned strings. Large accumulations that are not suspects are listed with the reason.
//
// Confidence. High: such a shape, and nothing else holds what accumulates there. Medium: such a
// shape whose objects are held elsewhere as well; a collection that was only ever added to, or that
// retains `large_share`. Low: other collections, and one that is a local of a running method: it
// may be work in progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/cache_expiry.h"
#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/leak_sources.h"
#include "analyzer/analyses/references/owner_path.h"

namespace hindsight::analyzer {

struct LeakRules {
  uint64_t min_count = 1000;
  uint64_t min_shape_bytes = 64 << 10;
  uint64_t min_bytes = 1 << 20;
  double min_share = 0.05;
  double large_share = 0.25;
  // Fewer of the application's own objects, of a generic type with one of the application's as its
  // argument, or of any in a collection that a field of the application's holds, are also a suspect,
  // with low confidence, if they retain this share.
  uint64_t few_count = 100;
  double few_share = 0.1;
  // With that much of the heap, so do the framework's own.
  double most_of_heap = 0.5;
  uint64_t most_bytes = 16 << 20;
  // This many subscribers, timers, closures or handles that retain large_share do not count as few.
  uint64_t few_of_a_shape = 100;
  // Something held in parts, such as one array per thread, is one accumulation: a part needs only
  // the smallest count that matters divided by this.
  uint64_t parts = 8;
  // Shares of the inspected objects: nearly all are held by nothing else; most are reached by one
  // path.
  double nearly_all = 0.9;
  double most = 0.5;
  // Of what one object of the framework holds, objects of yours represent all, unless there are
  // this many times more of the others.
  uint64_t most_beside = 4;
  // If this share of them has contents of one class, that class is what accumulates.
  double same_contents = 0.8;
  // The share of the sampled allocations at the most frequent place that must agree on a caller to
  // be named.
  double same_callers = 0.9;
  // An accumulation is inspected if it retains at least one in this many parts of the heap.
  uint64_t parts_of_heap = 20'000;
  size_t most_cleared = 8;  // listed
};

enum class LeakKind : uint8_t {
  kEventHandlers,
  kTimers,
  kClosures,
  kHandles,
  kRegistrations,     // of callbacks with a CancellationToken, or of linked sources
  kTimeoutCallbacks,  // of CancellationTokenSources with a time
  kThreadStatics,
  kSubscriptions,
  kTimeouts,        // CancellationTokenSources with a time, or Task.Delay, pending
  kFinalizerQueue,  // unreachable: the finalizer thread has not come to them yet
  kChangeTracker,   // of a DbContext of Entity Framework Core
  kDisposables,     // of a scope of the service container
  kInterned,        // strings that string.Intern keeps
  kCache,
  kCollection,
};
// What healthy programs do not accumulate.
constexpr bool IsShape(LeakKind kind) { return kind < LeakKind::kThreadStatics; }

// LeakSuspect::kind_name of what has been put into a queue or channel and not been taken out.
inline constexpr std::string_view kQueueName = "queue";

enum class LeakConfidence : uint8_t { kLow, kMedium, kHigh };

struct LeakSuspect {
  LeakKind kind = LeakKind::kCollection;
  // event handlers, timers, closures, handles, thread statics, subscriptions, timeouts, change
  // tracker, cache, static list, queue, ...
  std::string kind_name;
  LeakConfidence confidence = LeakConfidence::kLow;
  OwnerPath path;  // down to an example of what accumulates
  // Of what accumulates: the application's own type, below nodes, delegates and timers.
  TypeId type = 0;
  uint64_t count = 0;
  uint64_t retained = 0;
  double share = 0;     // of the reachable bytes
  uint64_t owners = 1;  // accumulations that are held in the same way
  ObjectId example = kNoObject;
  std::vector<std::string> evidence;  // sentences
  std::string advice;                 // a sentence
  // According to a series of snapshots: they were not there before the last one.
  bool came_at_last = false;
  // According to two snapshots: timeouts of which there are twice as many, or much more of what is
  // most of the heap, which is no trend.
  bool may_grow = false;
  std::optional<CacheExpiry> expiry;  // kCache: of a MemoryCache
  // Where sampled ones were allocated; for the first kMostSources suspects.
  std::optional<LeakSource> source;
};

// Large, but not suspected.
struct ClearedAccumulation {
  OwnerPath path;
  TypeId type = 0;
  uint64_t count = 0;
  uint64_t retained = 0;
  double share = 0;
  std::string reason;  // a clause
};

struct LeakReport {
  static constexpr size_t kMostSources = 20;

  LeakRules rules;
  uint64_t reachable_objects = 0, reachable_bytes = 0;
  uint64_t accumulations = 0;                // inspected
  uint64_t snapshots = 1;                    // on which it is based: see JudgeSeries
  uint64_t series_ns = 0;                    // from the first snapshot to the last; 0: unknown
  std::vector<LeakSuspect> suspects;         // most retained bytes first
  std::vector<ClearedAccumulation> cleared;  // likewise; at least min_bytes and min_share
};

// Linear in the objects; not recursive.
LeakReport AnalyzeLeaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const Dominators& dominators, const DominatorTree& tree,
                        const LeakRules& rules = {});

}  // namespace hindsight::analyzer
