// Objects and bytes by type.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct TypeRow {
  TypeId type = 0;       // 0: unknown
  uint64_t objects = 0;  // reachable
  uint64_t bytes = 0;
  // What would be freed without the type: the retained sizes of its objects, except those dominated
  // by another object of the type, whose retained size includes them. The runtime's arrays of
  // static fields only count their own size.
  uint64_t retained = 0;
  uint64_t unreachable_objects = 0;
  uint64_t unreachable_bytes = 0;
};

struct TypeHistogram {
  std::vector<TypeRow> rows;           // in no particular order; types without objects have no row
  std::vector<uint32_t> row_of_class;  // indexed by ClassIndex; kNoRow: the class has no objects

  static constexpr uint32_t kNoRow = UINT32_MAX;
};

// Classes of the same type (it may have been loaded twice) share a row.
TypeHistogram MakeTypeHistogram(const HeapModel& model, const Dominators& dominators,
                                const DominatorTree& tree);

// By object: whether it is one of the runtime's arrays that hold static fields.
std::vector<bool> StaticHolders(const HeapGraph& graph);

}  // namespace hindsight::analyzer
