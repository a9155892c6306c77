#include "analyzer/analyses/waits/object_fields.h"

namespace hindsight::analyzer {

size_t ObjectFields::Add(std::vector<Name>& names, std::string_view path) {
  names.push_back(
      {std::string(path), std::vector<int32_t>(model_->graph.classes().size(), kUnknown)});
  return names.size() - 1;
}

ObjectFields::SlotName ObjectFields::Slot(std::string_view path) {
  return SlotName{Add(slots_, path)};
}

ObjectFields::ValueName ObjectFields::Value(std::string_view path) {
  return ValueName{Add(values_, path)};
}

int32_t ObjectFields::Find(std::string_view path, ClassIndex type,
                           const std::vector<Name>* of) const {
  const HeapClass& entry = model_->graph.classes()[type];
  if (of == &slots_) {
    // If slots do not identify fields, references cannot be distinguished.
    if (model_->graph.facts.method == HeapFacts::Method::kCallbacks) return kNone;
    for (size_t i = 0; i < entry.slot_names.size(); ++i) {
      if (model_->dictionaries.String(entry.slot_names[i]) == path) return static_cast<int32_t>(i);
    }
    return kNone;
  }
  for (size_t i = 0; i < entry.value_fields.size(); ++i) {
    if (model_->dictionaries.String(entry.value_fields[i].name) == path) {
      return static_cast<int32_t>(i);
    }
  }
  return kNone;
}

ObjectId ObjectFields::Get(ObjectId object, SlotName name) const {
  const HeapGraph& graph = model_->graph;
  if (object >= graph.size()) return kNoObject;
  const int32_t place = Place(slots_, name, graph.ClassOf(object));
  if (place < 0) return kNoObject;
  ObjectId found = kNoObject;
  graph.ForEachReference(object, [&](uint64_t slot, ObjectId target) {
    if (slot == static_cast<uint64_t>(place)) found = target;
  });
  return found;
}

std::optional<int64_t> ObjectFields::Get(ObjectId object, ValueName name) const {
  const HeapGraph& graph = model_->graph;
  if (object >= graph.size()) return {};
  const int32_t place = Place(values_, name, graph.ClassOf(object));
  if (place < 0) return {};
  return graph.Value(object, static_cast<uint32_t>(place));
}

}  // namespace hindsight::analyzer
