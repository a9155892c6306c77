// Individual garbage collections and suspensions.
//
// At most kMaxRows of each. Beyond that, the shortest are dropped first; the totals still include
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start unless noted otherwise.

enum class CollectionType : uint8_t { kUnknown, kBlocking, kBackground, kBlockingDuringBackground };

struct GenerationChange {
  bool known = false;
  uint64_t before_bytes = 0, after_bytes = 0, promoted_bytes = 0;
  uint64_t free_before_bytes = 0, free_after_bytes = 0;
};

struct CollectionRow {
  int64_t at_ns = 0;
  uint64_t duration_ns = 0;
  // Time for which all managed threads were stopped for it, including the time to stop them: the
  // suspensions for collections that overlap it. 0: none was recorded.
  uint64_t pause_ns = 0;
  uint32_t number = 0;
  uint32_t generation = 0;
  bool induced = false;
  // The following are 0 unless `detailed`.
  bool detailed = false;
  uint32_t runtime_number = 0;
  int32_t reason = -1;  // the runtime's GCReason
  CollectionType type = CollectionType::kUnknown;
  std::array<GenerationChange, 5> generations;  // 0, 1, 2, large, pinned
  uint64_t promoted_bytes = 0, pinned_objects = 0, finalizable_promoted = 0, handles = 0;
  uint64_t committed_bytes = 0;
  // Of the pinned object heap after the last collection that reported its size: the collector does
  // not count its objects as promoted.
  uint64_t pinned_heap_bytes = 0;
  uint32_t heaps = 0;
  bool compacting = false;
  uint32_t memory_load_percent = 0;
};

struct SuspensionRow {
  int64_t at_ns = 0;
  uint64_t stopping_ns = 0, total_ns = 0;
  uint32_t reason = 0;  // COR_PRF_SUSPEND_REASON
};

// A call of GC.Collect or similar.
struct CollectCall {
  int64_t at_ns = 0;
  StackId stack = 0;  // 0: unknown
};

struct GarbageCollections {
  uint64_t collections[3] = {};  // by oldest generation collected
  uint64_t induced = 0;
  uint64_t suspensions = 0;
  uint64_t suspended_ns = 0;
  uint64_t longest_ns = 0;

  static constexpr size_t kMaxRows = size_t{1} << 18;
  std::vector<CollectionRow> rows;    // ordered by time
  std::vector<SuspensionRow> pauses;  // ordered by time
  std::vector<CollectCall> calls;     // ordered by time; the first kMaxRows
};

}  // namespace hindsight::analyzer
