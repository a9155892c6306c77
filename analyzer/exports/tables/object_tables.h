// The objects of a heap snapshot in SQL, without copying them: `objects`, `refs` and `object_types`
// are virtual tables over the heap in memory.
//
// They belong to one snapshot, and therefore have no column `recording`. Queries for a single id,
// address, type, dominator, source or target visit no other rows, and rows ordered by type need no
// sorting.
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

// What a query reads from these tables.
struct ObjectTableUse {
  bool any = false;
  bool dominators = false;  // columns that need them
};

struct ObjectTableSource {
  const HeapModel* model = nullptr;
  const SlotNames* names = nullptr;
  const Dominators* dominators = nullptr;  // these two are null if no such column is read
  const DominatorTree* tree = nullptr;
  std::function<const Referrers&()> referrers;  // called when first needed
};

// Not thread-safe, like the database.
class ObjectTables {
 public:
  ObjectTables();
  ~ObjectTables();
  ObjectTables(const ObjectTables&) = delete;
  ObjectTables& operator=(const ObjectTables&) = delete;

  // This must outlive the database.
  Result<void> AddTo(Database& database);
  // Call before the first row is read; what `source` points to must outlive the queries.
  void Show(ObjectTableSource source);

  // Records in `use` that a query reads this column. False: it belongs to another table.
  static bool Note(std::string_view table, std::string_view column, ObjectTableUse& use);
  // Tables and columns with their meaning, for display.
  static std::string Describe();

 private:
  std::unique_ptr<ObjectTableIndex> index_;
};

}  // namespace hindsight::analyzer
