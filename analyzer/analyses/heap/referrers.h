// Who refers to an object: the references of a heap the other way round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// For who asks often: without it, each question looks at every reference of the heap.
//
// Memory: 4 bytes an object and 4 a reference. Immutable once built: any thread may read.
class Referrers {
 public:
  explicit Referrers(const HeapGraph& graph);

  // Each object that refers to `id`, ascending. Dependent handles are no references.
  std::span<const ObjectId> Of(ObjectId id) const {
    return {holders_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }

 private:
  std::vector<uint32_t> begin_;  // by object, and one more
  std::vector<ObjectId> holders_;
};

}  // namespace hindsight::analyzer
