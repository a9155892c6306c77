// Names of locks: the fields that hold them. If an object exists only to be a lock, its type says
// nothing.
//
// The field is a static field or, if there is none, an instance field: preferably of an object of
// yours, and not of an array or collection. Objects of your own types are named by their types.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Visits each reference of the heap once, when the first name is asked for. Not thread-safe.
class LockNames {
 public:
  // `model` must outlive this. `locks`: those that may be asked for.
  LockNames(const HeapModel& model, std::unordered_set<ObjectId> locks);

  // "Shop.StockBook.gate_"; empty: no field names it, or its type says more.
  std::string Of(ObjectId lock);

 private:
  struct Field {
    int rank = 0;  // the lowest is the best
    std::string name;
  };
  void FindFields();
  bool IsNamedByField(ObjectId object);
  Field FieldOf(ObjectId holder, size_t reference);

  const HeapModel& model_;
  SlotNames slots_;
  FrameKinds kinds_;
  std::unordered_set<ObjectId> locks_;
  bool is_found_ = false;
  std::unordered_map<ObjectId, Field> fields_;
};

// Names by the runtime's ids of monitors, for those that threads waited for when `model` was taken,
// a snapshot of the process of `events`.
std::unordered_map<uint64_t, std::string> NamesByLockId(const Model& events,
                                                        const HeapModel& model);

}  // namespace hindsight::analyzer
