// Walks the dominator tree from the top down, children after their parents, without recursion.
#pragma once

#include <utility>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"

namespace hindsight::analyzer {

// Memory: 8 bytes per object. Immutable once built, so any thread may read it.
class DominatorTree {
 public:
  explicit DominatorTree(const Dominators& dominators)
      : immediate_(&dominators.immediate),
        first_child_(dominators.immediate.size(), kNoObject),
        next_sibling_(dominators.immediate.size(), kNoObject) {
    const auto size = static_cast<ObjectId>(dominators.immediate.size());
    for (ObjectId id = size; id-- > 0;) {  // so that children are in ascending order
      const ObjectId parent = dominators.immediate[id];
      if (parent == kNoObject) continue;
      ObjectId& first = parent == kSuperRoot ? first_ : first_child_[parent];
      next_sibling_[id] = std::exchange(first, id);
    }
  }

  // kNoObject if there is none.
  ObjectId FirstChild(ObjectId id) const { return id == kSuperRoot ? first_ : first_child_[id]; }
  ObjectId NextSibling(ObjectId id) const { return next_sibling_[id]; }

  // Depth first below `top`, which is not visited: enter(id) before the objects that `id`
  // dominates, leave(id) after them.
  template <typename Enter, typename Leave>
  void Walk(ObjectId top, const Enter& enter, const Leave& leave) const {
    ObjectId id = FirstChild(top);
    while (id != kNoObject) {
      enter(id);
      if (first_child_[id] != kNoObject) {
        id = first_child_[id];
        continue;
      }
      leave(id);
      while (next_sibling_[id] == kNoObject) {
        id = (*immediate_)[id];
        if (id == top) return;
        leave(id);
      }
      id = next_sibling_[id];
    }
  }

 private:
  const std::vector<ObjectId>* immediate_;
  std::vector<ObjectId> first_child_;
  std::vector<ObjectId> next_sibling_;
  ObjectId first_ = kNoObject;
};

}  // namespace hindsight::analyzer
