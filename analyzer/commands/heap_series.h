// The snapshots of one recording as a series.
#pragma once

#include <span>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// A snapshot in memory, and what was computed from it.
struct HeapInSeries {
  const HeapModel& model;
  const SlotNames& names;
  const RootPaths& paths;
  const Dominators& dominators;
  const DominatorTree& tree;
};

// Judges `report`, which is about `last`, also by the complete snapshots before it in `recording`;
// `snapshots` are those of `recording`. Reads at most kMostBefore of them, evenly spaced, including
// the first; only one is in memory at a time.
inline constexpr size_t kMostBefore = 4;
void JudgeByEarlier(Recording& recording, std::span<const HeapFacts> snapshots,
                    const HeapInSeries& last, LeakReport& report, bool shows_progress = true);

}  // namespace hindsight::analyzer
