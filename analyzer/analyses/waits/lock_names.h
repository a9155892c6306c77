// Names of locks: the fields that keep them. An object that was made to be a lock and nothing else
// says nothing by its type.
//
// The field is a static, or else an instance's: of an object of yours rather than of others', and
// of no array or collection. Objects of your own types are known by their types.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Looks at each reference of the heap once, when the first name is asked for. One thread.
class LockNames {
 public:
  // `model` outlives this. `locks`: those that may be asked for.
  LockNames(const HeapModel& model, std::unordered_set<ObjectId> locks);

  // "Shop.StockBook.gate_"; empty: no field tells, or its type says more.
  std::string Of(ObjectId lock);

 private:
  struct Field {
    int rank = 0;  // the least is the best
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

// Names by the runtime's ids of monitors, as far as threads waited for them when `model`, a
// snapshot of the process that `events` are of, was made.
std::unordered_map<uint64_t, std::string> NamesByLockId(const Model& events,
                                                        const HeapModel& model);

}  // namespace hindsight::analyzer
