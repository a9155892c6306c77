// Differences between heaps: of one process over time, or of several runs.
//
// Because addresses change, heaps are aligned by the names of types and of the paths that lead to
// them in the folded dominator tree. A difference counts if it is at least `min_bytes`, at least
// `min_share` of the smaller heap, and at least `min_change` of the earlier value. Anything less is
// noise. So is a mere change of owners: retained bytes that changed without objects to explain it
// (if a type has other owners and also grew, it is compared as a whole), and what the runtime's
// event sources keep, which the recorder causes.
//
// Trends, with three or more heaps. *Grows*: it never fell back by more than a tenth of its growth,
// and grew by at least that in the last step. *Levelled off*: it did not grow in the last step,
// like a cache that is full. *Comes and goes*: it fell back. Only the first looks like a leak. Two
// heaps show a difference but no trend.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/heap_summary.h"
#include "analyzer/analyses/references/owner_path.h"

namespace hindsight::analyzer {

struct DiffRules {
  uint64_t min_bytes = 64 << 10;
  double min_share = 0.01;
  double min_change = 0.05;
  double fallback = 0.1;  // share of the growth: a heap that fell back by no more still grows
  // Share of its growth that must be explained by what is below, or by all objects of the type.
  double carries = 0.5;
  int64_t many_more = 10;  // objects: if there are this many more, something accumulates here
};

enum class Trend : uint8_t { kGrew, kGrows, kLevelledOff, kComesAndGoes, kShrank };

struct TypeChange {
  std::string type;
  std::vector<HeapNumbers> series;  // parallel to the heaps
  Trend trend = Trend::kGrew;
};

struct PathGrowth {
  OwnerPath path;  // in the last heap, down to an example of what grew
  // The step of `path` that leads to what accumulates: an object of the type, or a wrapper of it.
  size_t place = 0;
  TypeId type = 0;
  std::vector<HeapNumbers> series;  // of the path; of the type if its path has changed
  bool is_new = false;              // not in the first heap
  Trend trend = Trend::kGrew;
};

struct HeapDiff {
  uint64_t noise_bytes = 0;
  std::vector<PathGrowth> paths;  // most growth first: leaks before what comes and goes
  std::vector<TypeChange> types;  // likewise, then what shrank
};

// `heaps`: at least two, in order of time. `model` and `folded` belong to the last one.
HeapDiff CompareHeaps(std::span<const HeapSummary> heaps, const HeapModel& model,
                      const SlotNames& names, const RootPaths& paths, const HeapPaths& folded,
                      const DiffRules& rules = {});

}  // namespace hindsight::analyzer
