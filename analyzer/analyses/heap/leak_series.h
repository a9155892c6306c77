// Leaks judged from several snapshots of one process: growth makes a suspect, constancy clears it.
//
// Whatever grows from each snapshot to the next is growing, however slowly, because slow leaks
// exist. Only snapshots that are far enough apart can distinguish that from chance.
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

// LeakSuspect::kind_name of suspects that only their growth makes suspicious.
inline constexpr std::string_view kGrowingHeap = "growing heap";

struct SeriesRules {
  size_t min_snapshots = 3;  // fewer show a difference, but no trend
  // Steady growth (HeapDiff) is a suspect, however few its objects, if it belongs to the
  // application, grew by min_growth of the first heap, and retains min_share of the last one.
  double min_growth = 0.08;
  // The same for handlers, timers, closures and handles, which healthy programs do not accumulate.
  double min_shape_growth = 0.04;
  double min_share = 0.05;
  uint64_t min_objects = 20;  // more than in the first
  // If something is already a suspect by its size, its objects need only grow by this share.
  double size_growth = 0.2;
  // A suspect whose objects increased by no more than this share is cleared, unless they increased
  // with each snapshot, by min_objects in total. So is one that fell back by this share of its
  // peak.
  double constant = 0.1;
  // From the first snapshot to the last: in less time, little growth means nothing; nor do a
  // library's own objects that grew by less than min_bytes_of_others.
  uint64_t min_series_ns = 60'000'000'000;
  uint64_t min_bytes_of_others = 1 << 20;
  // A framework's own objects are suspects only if there are that many more, and if they grow,
  // between the last two snapshots, at least at this share of their rate since the first.
  uint64_t min_frameworks_objects = 200;
  double steady = 0.6;
  // Share of a path's growth that a type must have to represent it.
  double carries = 0.5;
  // Pending timeouts that became this many times as many are a leak, rather than load.
  double timeouts_growth = 2;
  // Of two snapshots: this share of the heap, and so many times as many; of timeouts, whose number
  // is steady under steady load.
  double much_of_heap = 0.5;
  double much_growth = 1.3;
  double much_growth_of_timeouts = 1.2;
  // Growth between the last two snapshots alone, except for this share, is not a trend.
  double before_last = 0.1;
};

// Judges `report`, of the last of `heaps` in order of time, using all of them; no heaps: there is
// only the last one. `diff` is of the same heaps. `folded` is of the last one, with the nodes of
// SuspectObjects. Each remaining suspect gets a final sentence that describes the series, or says
// that there is none.
void JudgeSeries(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
                 const HeapDiff& diff, const HeapPaths& folded, LeakReport& report,
                 const SeriesRules& rules = {});

// The object at the end of each suspect's path.
std::vector<ObjectId> SuspectObjects(const LeakReport& report);

// That sentence; empty if JudgeSeries has not seen the suspect.
std::string_view SeriesSentence(const LeakSuspect& suspect);

// What so few snapshots, or such a short time, cannot show if nothing is suspected: a sentence;
// empty if they can show it.
std::string SeriesLimit(const LeakReport& report, const SeriesRules& rules = {});

}  // namespace hindsight::analyzer
