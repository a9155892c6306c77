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
  // What would be freed without the type: the retained sizes of its objects, but for those that
  // another object of the type dominates, whose memory counts there. The runtime's arrays of static
  // fields count for themselves alone.
  uint64_t retained = 0;
  uint64_t unreachable_objects = 0;
  uint64_t unreachable_bytes = 0;
};

struct TypeHistogram {
  std::vector<TypeRow> rows;           // in no order; types without objects have none
  std::vector<uint32_t> row_of_class;  // by ClassIndex; kNoRow: the class has no objects

  static constexpr uint32_t kNoRow = UINT32_MAX;
};

// Classes of one type (it may have been loaded twice) are one row.
TypeHistogram MakeTypeHistogram(const HeapModel& model, const Dominators& dominators,
                                const DominatorTree& tree);

// By object: whether it is an array of the runtime's that holds static fields.
std::vector<bool> StaticHolders(const HeapGraph& graph);

}  // namespace hindsight::analyzer
