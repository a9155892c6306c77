// What several snapshots of one process say of leaks: growth makes a suspect, constancy clears it.
//
// What grows from each snapshot to the next is not constant, however little it is: a slow leak
// grows like that. Only snapshots that are far enough apart tell that from chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/analyses/heap/heap_summary.h"
#include "analyzer/analyses/heap/leaks.h"

namespace hindsight::analyzer {

// LeakSuspect::kind_name of what only its growth makes a suspect.
inline constexpr std::string_view kGrowingHeap = "growing heap";

struct SeriesRules {
  size_t min_snapshots = 3;  // fewer show a difference and no trend
  // What grows in the same way (HeapDiff) is a suspect, however few its objects, if it is of the
  // application, grew by this share of the first heap, and retains this share of the last one.
  double min_growth = 0.08;
  // Handlers, timers, closures and handles by this one: healthy programs do not gather them.
  double min_shape_growth = 0.04;
  double min_share = 0.05;
  uint64_t min_objects = 20;  // more than in the first
  // Of what is a suspect by its size already the objects need only grow, by this share as well.
  double size_growth = 0.2;
  // A suspect whose objects became no more than this, of what they were, is none, unless they
  // became more with each snapshot, by min_objects in all; nor is one that fell back by as much
  // from its most.
  double constant = 0.1;
  // From the first snapshot to the last: in less time so little growth shows nothing; nor does what
  // a library keeps of its own objects, if it grew by less than this.
  uint64_t min_series_ns = 60'000'000'000;
  uint64_t min_bytes_of_others = 1 << 20;
  // Of the objects on a path, or of those that it became more by: fewer do not tell for the type's.
  double carries = 0.5;
  // What came between the last two snapshots alone, but for this share, shows no trend.
  double before_last = 0.1;
};

// Judges `report`, of the last of `heaps` in order of time, by all of them; no heaps: there is but
// the last one. `diff`: of the same heaps. `folded`: of the last, with the nodes of SuspectObjects.
// Each suspect that stays gets a last sentence, which
// tells the series, or that there is none.
void JudgeSeries(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
                 const HeapDiff& diff, const HeapPaths& folded, LeakReport& report,
                 const SeriesRules& rules = {});

// What stands at the end of each suspect's path.
std::vector<ObjectId> SuspectObjects(const LeakReport& report);

// That sentence; empty if JudgeSeries has not seen the suspect.
std::string_view SeriesSentence(const LeakSuspect& suspect);

// What so few snapshots, or of so short a time, cannot show, where nothing is suspected: a
// sentence; empty if they show it.
std::string SeriesLimit(const LeakReport& report, const SeriesRules& rules = {});

}  // namespace hindsight::analyzer
