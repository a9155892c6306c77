// Pauses by cause: each suspension, with the collection for which it was.
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
  kGen2Background,  // its short pauses, and what the collector does before it resumes the threads
  kUnknownCollection,   // for a collection that is not in the recording
  kRuntimeMaintenance,  // of the runtime itself: tiered compilation removes its counters, and the
                        // like
  kCodeChange,          // ReJIT, code pitching
  kThreadSnapshot,      // requested by a profiler: the recorder's snapshots of all threads
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

// Whether the application ran during the collection: known, or inferred from a duration of which
// its pauses are only a part.
bool IsBackground(const CollectionRow& collection);

// Those that overlap [from_ns, to_ns), ordered by time. `facts` must outlive them.
//
// Several collections can begin in one pause: the collector collects a young generation before it
// starts a background collection. The pause is attributed to the collection that fills most of it.
// A pause in which none begins is attributed to the newest one in progress.
std::vector<Pause> FindPauses(const GarbageCollections& facts, int64_t from_ns, int64_t to_ns);

}  // namespace hindsight::analyzer
