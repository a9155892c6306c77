// What refers to an object: the references of a heap in reverse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// For frequent queries: without it, each query visits every reference of the heap.
//
// Memory: 4 bytes per object and 4 per reference. Immutable once built, so any thread may read it.
class Referrers {
 public:
  explicit Referrers(const HeapGraph& graph);

  // The objects that refer to `id`, each once, in ascending order. Dependent handles are not
  // references.
  std::span<const ObjectId> Of(ObjectId id) const {
    return {holders_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }

 private:
  std::vector<uint32_t> begin_;  // indexed by object, with one extra at the end
  std::vector<ObjectId> holders_;
};

}  // namespace hindsight::analyzer
