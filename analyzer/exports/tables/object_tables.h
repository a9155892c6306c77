// The objects of a heap snapshot in SQL, without a copy of them: `objects`, `refs` and
// `object_types` are virtual tables over the heap in memory.
//
// They are of one snapshot, and therefore have no column `recording`. Questions for one id,
// address, type, dominator, source or target look at no other rows, and rows in the order of types
// need no sorting.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/referrers.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/base/result.h"
#include "analyzer/exports/tables/database.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

class ObjectTableIndex;

// What a query reads of these tables.
struct ObjectTableUse {
  bool any = false;
  bool dominators = false;  // columns that come from them
};

struct ObjectTableSource {
  const HeapModel* model = nullptr;
  const SlotNames* names = nullptr;
  const Dominators* dominators = nullptr;  // these two: null if no such column is read
  const DominatorTree* tree = nullptr;
  std::function<const Referrers&()> referrers;  // asked for once it is needed
};

// One thread, as the database.
class ObjectTables {
 public:
  ObjectTables();
  ~ObjectTables();
  ObjectTables(const ObjectTables&) = delete;
  ObjectTables& operator=(const ObjectTables&) = delete;

  // This outlives the database.
  Result<void> AddTo(Database& database);
  // Before the first row is asked for; what it points to outlives the queries.
  void Show(ObjectTableSource source);

  // Adds to `use` that a query reads this column. False: it is of another table.
  static bool Note(std::string_view table, std::string_view column, ObjectTableUse& use);
  // Tables and columns with what they mean, for people.
  static std::string Describe();

 private:
  std::unique_ptr<ObjectTableIndex> index_;
};

}  // namespace hindsight::analyzer
