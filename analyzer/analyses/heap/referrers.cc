#include "analyzer/analyses/heap/referrers.h"

#include <utility>

namespace hindsight::analyzer {
Referrers::Referrers(const HeapGraph& graph) : begin_(size_t{graph.size()} + 1) {
  // By object: who was the last to be seen referring to it. It may do so more than once.
  std::vector<ObjectId> last_holder(graph.size(), kNoObject);
  for (ObjectId holder = 0; holder < graph.size(); ++holder) {
    for (const ObjectId target : graph.References(holder)) {
      if (std::exchange(last_holder[target], holder) != holder) ++begin_[target];
    }
  }
  uint32_t end = 0;
  for (uint32_t& begin : begin_) begin = end += begin;
  holders_.resize(end);
  // Backwards from the end of each, so that begin_ is what its name says afterwards.
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
