// Pauses by cause: each suspension, with the collection that it served.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/model/collections.h"

namespace hindsight::analyzer {

enum class PauseKind : uint8_t {
  kGen0,
  kGen1,
  kGen2Blocking,
  kGen2Background,      // its short pauses, and what the collector does before it lets others run
  kUnknownCollection,   // for the collector, but the collection is not in the recording
  kRuntimeMaintenance,  // the runtime's own: tiered compilation removes its counters, and the like
  kCodeChange,          // ReJIT, code pitching
  kThreadSnapshot,      // asked for by a profiler: the recorder's snapshots of all threads
  kDebugger,
  kShutdown,
};
inline constexpr size_t kPauseKinds = 10;

struct Pause {
  const SuspensionRow* suspension = nullptr;
  const CollectionRow* collection = nullptr;  // null: none
  PauseKind kind = PauseKind::kRuntimeMaintenance;

  bool is_collection() const { return kind <= PauseKind::kUnknownCollection; }
  int64_t end_ns() const;
};

// Whether the collection let the application run: known, or inferred from a duration of which its
// pauses are but a part.
bool IsBackground(const CollectionRow& collection);

// Those that overlap [from_ns, to_ns), by time. `facts` outlives them.
//
// In one pause several collections can begin: the collector does one of a young generation before a
// background one. The pause is that of the collection that fills most of it. A pause in which none
// begins belongs to the newest one that goes on.
std::vector<Pause> FindPauses(const GarbageCollections& facts, int64_t from_ns, int64_t to_ns);

}  // namespace hindsight::analyzer
