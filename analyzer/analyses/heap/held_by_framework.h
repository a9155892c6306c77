// What accumulates below an object of the framework: a collection has keys next to values, and a
// DbContext has entries next to entities.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/heap/accumulations.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/analyses/references/slot_names.h"

namespace hindsight::analyzer {

class HeldByFramework {
 public:
  // All must outlive this.
  HeldByFramework(const HeapModel& model, const SlotNames& names, const TypeOwners& owners,
                  const Dominators& dominators)
      : model_(model), names_(names), owners_(owners), dominators_(dominators) {}

  bool Is(const Accumulation& one) const;
  // The first of several below one object represents all of them. Of those in `found`, the largest
  // come first: puts objects of yours there instead, at least `fewest`, unless there are more than
  // `most_beside` times as many of the others. They say more than keys, or strings that several of
  // them share, and retain these as well.
  void PutYoursFirst(std::vector<Accumulation>& found, uint64_t fewest, uint64_t most_beside) const;

 private:
  TypeId TypeOf(ObjectId id) const { return OfClass(model_.graph.ClassOf(id)); }
  TypeId OfClass(ClassIndex index) const { return model_.graph.classes()[index].type; }

  const HeapModel& model_;
  const SlotNames& names_;
  const TypeOwners& owners_;
  const Dominators& dominators_;
};

}  // namespace hindsight::analyzer
