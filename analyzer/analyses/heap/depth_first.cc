#include "analyzer/analyses/heap/depth_first.h"

#include <algorithm>
#include <span>
#include <vector>

#include "analyzer/model/ranked_bits.h"

namespace hindsight::analyzer {
namespace {

class Search {
 public:
  explicit Search(const HeapGraph& graph)
      : graph_(graph),
        references_(graph.size() > 0 ? graph.References(0).data() : nullptr),
        is_key_(graph.size()) {
    result_.number = Column<uint32_t>(graph.size());
    result_.order = Column<ObjectId>(size_t{graph.size()} + 1);
    result_.parent = Column<uint32_t>(size_t{graph.size()} + 1);
    path_ = Column<Step>(graph.size());
    dependents_.assign(graph.dependents().begin(), graph.dependents().end());
    std::stable_sort(dependents_.begin(), dependents_.end(),
                     [](const HeapDependent& a, const HeapDependent& b) { return a.key < b.key; });
    for (const HeapDependent& pair : dependents_) is_key_.Set(pair.key);
  }

  DepthFirst Run() {
    for (const HeapRoot& root : graph_.roots()) {
      if (HoldsObject(root) && result_.number[root.object] == 0) From(root.object);
    }
    result_.order[0] = kNoObject;
    result_.order.Shrink(size_t{result_.count} + 1);
    result_.parent.Shrink(size_t{result_.count} + 1);
    return std::move(result_);
  }

 private:
  struct Step {  // an object on the path, and what remains to be done for it
    uint32_t number;
    uint32_t next, end;  // indexes into all references
  };

  void From(ObjectId root) {
    size_t depth = 0;
    Step at = Reach(root, 0);
    for (;;) {
      if (at.next == at.end) {
        // The values of dependent handles come last.
        const ObjectId id = result_.order[at.number];
        if (!dependents_.empty() && is_key_.Get(id)) {
          const ObjectId value = NextDependent(id);
          if (value != kNoObject) {
            path_[depth++] = at;
            at = Reach(value, at.number);
            continue;
          }
        }
        if (depth == 0) return;
        at = path_[--depth];
        continue;
      }
      const ObjectId target = references_[at.next++];
      if (result_.number[target] != 0) continue;
      path_[depth++] = at;
      at = Reach(target, at.number);
    }
  }

  Step Reach(ObjectId id, uint32_t parent) {
    const uint32_t number = ++result_.count;
    result_.number[id] = number;
    result_.order[number] = id;
    result_.parent[number] = parent;
    const std::span<const ObjectId> references = graph_.References(id);
    // What the search visits next, and what it returns to.
    const size_t near = std::min(references.size(), kPrefetched);
    for (size_t i = 0; i < near; ++i) {
      __builtin_prefetch(&result_.number[references[i]]);
      graph_.Prefetch(references[i]);
    }
    for (size_t i = 0; i < near; ++i) __builtin_prefetch(graph_.References(references[i]).data());
    const auto begin = static_cast<uint32_t>(references.data() - references_);
    return {number, begin, begin + static_cast<uint32_t>(references.size())};
  }

  // A value of `key` that has not been reached yet.
  ObjectId NextDependent(ObjectId key) const {
    const auto [begin, end] = std::equal_range(
        dependents_.begin(), dependents_.end(), HeapDependent{key, kNoObject},
        [](const HeapDependent& a, const HeapDependent& b) { return a.key < b.key; });
    for (auto pair = begin; pair != end; ++pair) {
      if (result_.number[pair->value] == 0) return pair->value;
    }
    return kNoObject;
  }

  static constexpr size_t kPrefetched = 8;
  const HeapGraph& graph_;
  const ObjectId* const references_;  // of all objects, concatenated
  DepthFirst result_;
  Column<Step> path_;
  std::vector<HeapDependent> dependents_;  // ordered by key
  RankedBits is_key_;
};

}  // namespace

DepthFirst SearchDepthFirst(const HeapGraph& graph) { return Search(graph).Run(); }

}  // namespace hindsight::analyzer
