#include "analyzer/analyses/heap/largest.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/heap/histogram.h"

namespace hindsight::analyzer {

LargestObjects FindLargest(const HeapModel& model, const Dominators& dominators,
                           const SlotNames& names, const RootPaths& paths, size_t top, bool all) {
  const HeapGraph& graph = model.graph;
  const std::vector<bool> is_holder = StaticHolders(graph);
  const auto is_spoken_for = [&](ObjectId id) {
    const ObjectId above = dominators.immediate[id];
    if (above == kSuperRoot || is_holder[above]) return false;
    const uint64_t beside = dominators.retained[above] - dominators.retained[id];
    return beside < dominators.retained[above] / 10;
  };
  // A heap whose first element is the smallest of the best; equal sizes in order of address.
  using Entry = std::pair<uint64_t, ObjectId>;
  const auto is_better = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::vector<Entry> best;
  std::vector<uint64_t> spoken_for;
  for (ObjectId id = 0; id < graph.size() && top > 0; ++id) {
    if (!dominators.IsReachable(id) || is_holder[id]) continue;
    const Entry entry{dominators.retained[id], id};
    if (best.size() == top && !is_better(entry, best.front())) continue;
    if (!all && is_spoken_for(id)) {
      spoken_for.push_back(entry.first);
      continue;
    }
    if (best.size() == top) {
      std::pop_heap(best.begin(), best.end(), is_better);
      best.pop_back();
    }
    best.push_back(entry);
    std::push_heap(best.begin(), best.end(), is_better);
  }
  std::sort(best.begin(), best.end(), is_better);

  LargestObjects largest;
  largest.bytes = dominators.reachable_bytes;
  for (const auto& [retained, id] : best) {
    largest.objects.push_back({id, retained, PathParts(model, names, paths, id)});
  }
  if (!best.empty()) {
    largest.skipped = static_cast<uint64_t>(
        std::count_if(spoken_for.begin(), spoken_for.end(),
                      [&](uint64_t retained) { return retained >= best.back().first; }));
  }
  return largest;
}

}  // namespace hindsight::analyzer
