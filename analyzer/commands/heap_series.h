// The snapshots of one recording as a series.
#pragma once

#include <span>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// A snapshot that is in memory, and what was made of it.
struct HeapInSeries {
  const HeapModel& model;
  const SlotNames& names;
  const RootPaths& paths;
  const Dominators& dominators;
  const DominatorTree& tree;
};

// Judges `report`, of `last`, by the complete snapshots before it in `recording` too, which has
// `snapshots`. Reads at most kMostBefore of them, evenly from all, with the first; one is in memory
// at a time.
inline constexpr size_t kMostBefore = 4;
void JudgeByEarlier(Recording& recording, std::span<const HeapFacts> snapshots,
                    const HeapInSeries& last, LeakReport& report, bool shows_progress = true);

}  // namespace hindsight::analyzer
