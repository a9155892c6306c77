#include "analyzer/analyses/heap/referrers.h"

#include <utility>

namespace hindsight::analyzer {
Referrers::Referrers(const HeapGraph& graph) : begin_(size_t{graph.size()} + 1) {
  // By object: the last holder seen referring to it, which may do so more than once.
  std::vector<ObjectId> last_holder(graph.size(), kNoObject);
  for (ObjectId holder = 0; holder < graph.size(); ++holder) {
    for (const ObjectId target : graph.References(holder)) {
      if (std::exchange(last_holder[target], holder) != holder) ++begin_[target];
    }
  }
  uint32_t end = 0;
  for (uint32_t& begin : begin_) begin = end += begin;
  holders_.resize(end);
  // Filled backwards from the end of each range, so that begin_ contains the beginnings afterwards.
  last_holder.assign(graph.size(), kNoObject);
  for (ObjectId holder = graph.size(); holder-- > 0;) {
    for (const ObjectId target : graph.References(holder)) {
      if (std::exchange(last_holder[target], holder) != holder) {
        holders_[--begin_[target]] = holder;
      }
    }
  }
}

}  // namespace hindsight::analyzer
