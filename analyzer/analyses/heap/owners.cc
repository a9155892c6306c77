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

}  // namespace hindsight::analyzer
