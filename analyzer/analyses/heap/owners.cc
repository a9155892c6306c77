#include "analyzer/analyses/heap/owners.h"

#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

std::string OwnerName(const HeapModel& model, const SlotNames& names, SlotKey key) {
  switch (key.kind) {
    case SlotKey::Kind::kStatic:
      return names.Name(key);
    case SlotKey::Kind::kDependent:
      return "dependent handle (ConditionalWeakTable)";
    case SlotKey::Kind::kField:
      break;
  }
  const HeapClass& type = model.graph.classes()[key.owner];
  return JoinSlot(TypeDisplayName(model.dictionaries, type.type), names.Name(key));
}

const OwnerStep* YourHolder(const HeapModel& model, const SlotNames& names,
                            const TypeOwners& owners, const OwnerPath& path, TypeId held) {
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    if (step->kind == OwnerStep::Kind::kField) {
      // Elements of arrays have no name.
      const bool is_named = names.Name(step->key).starts_with('.');
      if (step->from != held && is_named && owners.IsYours(step->from)) return &*step;
    } else if (step->kind == OwnerStep::Kind::kStatic &&
               owners.IsYours(model.graph.statics()[step->key.owner].type)) {
      return &*step;
    }
  }
  return nullptr;
}

std::string HolderName(const HeapModel& model, const SlotNames& names, const OwnerStep& holder) {
  if (holder.kind == OwnerStep::Kind::kStatic) return DescribeStep(model, names, holder).field;
  return JoinSlot(TypeBriefName(model.dictionaries, holder.from), names.Name(holder.key));
}

}  // namespace hindsight::analyzer
