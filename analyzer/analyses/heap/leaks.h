// What accumulates in a heap, and which accumulations look like leaks.
//
// The rules. An accumulation is where the dominator tree fans out to many objects of one class (or
// to a chain or tree of them); those that are held in the same way are one, and so are the parts of
// one collection of the application's, and timers of one class. One snapshot cannot
// show that a heap grows, so an accumulation is a suspect only if
//   - it has at least `min_count` objects, and
//   - its shape is one that healthy programs do not have: this many subscribers of one event,
//     timers, closures or GC handles, which retain `min_shape_bytes`; or
//   - it is a collection or a cache (also of a single thread) that retains `min_bytes` and
//     `min_share` of the reachable heap, and nothing shows that entries leave it (a List counts its
//     changes, a Dictionary its free entries, which indicate a bounded cache if recorded).
// Never a suspect: plain memory (arrays and strings without references: buffers), and whatever
// belongs to the framework all the way from the root (type caches, interned strings, pools). Large
// accumulations that are not suspects are listed with the reason.
//
// Confidence. High: such a shape, and nothing else holds what accumulates there. Medium: such a
// shape whose objects are held elsewhere as well; a collection that was only ever added to, or that
// retains `large_share`. Low: other collections, and one that is a local of a running method: it
// may be work in progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  // Of the application's own objects fewer are a suspect as well, with low confidence, if they
  // retain so much.
  uint64_t few_count = 100;
  double few_share = 0.1;
  // So many subscribers, timers, closures or handles that retain large_share are not few.
  uint64_t few_of_a_shape = 100;
  // What is held in parts, such as an array for each thread, is one: a part has at least one in so
  // many of the fewest that count.
  uint64_t parts = 8;
  // Of the objects looked at: nearly all are held by nothing else, or one path leads to most.
  double nearly_all = 0.9;
  double most = 0.5;
  // Of these, the share that has contents of one class: then what accumulates is that class.
  double same_contents = 0.8;
  // Of the sampled allocations at the most frequent place, the share that its callers are named
  // for.
  double same_callers = 0.9;
  // What accumulates is looked at if it retains one part in so many of the heap.
  uint64_t parts_of_heap = 20'000;
  size_t most_cleared = 8;  // listed
};

enum class LeakKind : uint8_t {
  kEventHandlers,
  kTimers,
  kClosures,
  kHandles,
  kThreadStatics,
  kCache,
  kCollection,
};
// Handlers, timers, closures and handles: what healthy programs do not gather.
constexpr bool IsShape(LeakKind kind) { return kind < LeakKind::kThreadStatics; }

enum class LeakConfidence : uint8_t { kLow, kMedium, kHigh };

struct LeakSuspect {
  LeakKind kind = LeakKind::kCollection;
  // event handlers, timers, closures, handles, thread statics, cache, static list, queue, ...
  std::string kind_name;
  LeakConfidence confidence = LeakConfidence::kLow;
  OwnerPath path;   // down to an example of what accumulates
  TypeId type = 0;  // of it: the application's, below nodes, delegates and timers
  uint64_t count = 0;
  uint64_t retained = 0;
  double share = 0;     // of the reachable bytes
  uint64_t owners = 1;  // accumulations that are held in this way
  ObjectId example = kNoObject;
  std::vector<std::string> evidence;  // sentences
  std::string advice;                 // a sentence
  // By a series of snapshots: they were not there before the last of them.
  bool came_at_last = false;
  // Where sampled ones of them were allocated; of the first kMostSources suspects.
  std::optional<LeakSource> source;
};

// Large, and not suspected.
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
  uint64_t accumulations = 0;                // looked at
  uint64_t snapshots = 1;                    // that it is judged by: see JudgeSeries
  uint64_t series_ns = 0;                    // from the first of these to the last; 0: not known
  std::vector<LeakSuspect> suspects;         // most retained bytes first
  std::vector<ClearedAccumulation> cleared;  // likewise; at least min_bytes and min_share
};

// Linear in the objects; iterative.
LeakReport AnalyzeLeaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const Dominators& dominators, const DominatorTree& tree,
                        const LeakRules& rules = {});

}  // namespace hindsight::analyzer
