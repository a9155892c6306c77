#include "analyzer/analyses/references/slot_names.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/model/display_names.h"
#include "analyzer/naming/field_names.h"

namespace hindsight::analyzer {
namespace {

bool IsBefore(const HeapStaticField& field, ObjectId holder, uint64_t slot) {
  return std::tie(field.holder, field.slot) < std::tie(holder, slot);
}

// More containers than an application has for itself and its parts, such as tenants.
constexpr size_t kMostServiceContainers = 16;

std::string FieldText(const Dictionaries& dictionaries, StringId name) {
  const std::string_view raw = dictionaries.String(name);
  return raw.empty() ? "?" : naming::FieldName(raw);
}

}  // namespace

SlotNames::SlotNames(const HeapModel& model) : model_(&model) {
  const std::span<const HeapStaticField> statics = model.graph.statics();
  std::map<std::tuple<TypeId, StringId, bool>, uint32_t> fields;
  first_of_field_.reserve(statics.size());
  for (const HeapStaticField& field : statics) {
    const auto index = static_cast<uint32_t>(first_of_field_.size());
    first_of_field_.push_back(
        fields.try_emplace({field.type, field.field, field.thread_os_id != 0}, index)
            .first->second);
  }
  using Shape = std::tuple<TypeId, HeapClass::Kind, std::vector<StringId>, size_t>;
  std::map<Shape, ClassIndex> types;
  for (const HeapClass& type : model.graph.classes()) {
    const auto index = static_cast<ClassIndex>(first_of_type_.size());
    first_of_type_.push_back(
        types.try_emplace({type.type, type.kind, type.slot_names, type.slot_offsets.size()}, index)
            .first->second);
  }
  FindServiceContainers();
}

// A container's field Root is the only reference that it has to a scope.
void SlotNames::FindServiceContainers() {
  const HeapGraph& graph = model_->graph;
  std::vector<bool> is_container(graph.classes().size()), is_scope(graph.classes().size());
  bool has_containers = false;
  for (size_t i = 0; i < graph.classes().size(); ++i) {
    const Type& type = model_->dictionaries.type(graph.classes()[i].type);
    const std::string_view name = model_->dictionaries.String(type.name);
    is_container[i] = name == "Microsoft.Extensions.DependencyInjection.ServiceProvider";
    is_scope[i] =
        name == "Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope";
    has_containers |= is_container[i];
  }
  if (!has_containers) return;
  size_t containers = 0;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!is_container[graph.ClassOf(id)]) continue;
    if (++containers > kMostServiceContainers) {
      service_containers_.clear();
      return;
    }
    service_containers_.push_back(id);
    for (const ObjectId held : graph.References(id)) {
      if (is_scope[graph.ClassOf(held)]) service_containers_.push_back(held);
    }
  }
  std::sort(service_containers_.begin(), service_containers_.end());
}

bool SlotNames::IsServiceContainer(ObjectId id) const {
  return std::binary_search(service_containers_.begin(), service_containers_.end(), id);
}

const HeapStaticField* SlotNames::Static(ObjectId holder, uint64_t slot) const {
  if (!SlotsAreKnown()) return nullptr;
  const std::span<const HeapStaticField> statics = model_->graph.statics();
  const auto found = std::partition_point(
      statics.begin(), statics.end(),
      [&](const HeapStaticField& field) { return IsBefore(field, holder, slot); });
  if (found == statics.end() || found->holder != holder || found->slot != slot) return nullptr;
  return &*found;
}

bool SlotNames::HoldsStatics(ObjectId holder) const {
  const std::span<const HeapStaticField> statics = model_->graph.statics();
  const auto found = std::partition_point(
      statics.begin(), statics.end(),
      [&](const HeapStaticField& field) { return IsBefore(field, holder, 0); });
  return found != statics.end() && found->holder == holder;
}

std::string SlotNames::StaticName(const HeapStaticField& field) const {
  const Dictionaries& dictionaries = model_->dictionaries;
  std::string out = field.thread_os_id == 0 ? "static " : "thread static ";
  out += TypeDisplayName(dictionaries, field.type);
  out += '.';
  return out + FieldText(dictionaries, field.field);
}

std::string SlotNames::Slot(ObjectId holder, uint64_t slot) const {
  const HeapGraph& graph = model_->graph;
  if (const HeapStaticField* field = Static(holder, slot)) {
    std::string out = StaticName(*field);
    if (field->thread_os_id != 0) out += " (thread " + std::to_string(field->thread_os_id) + ")";
    return out;
  }
  const SlotKey key = Key(holder, slot);
  const std::string name = Name(key);
  const HeapClass& type = graph.classes()[key.owner];
  if (type.kind != HeapClass::Kind::kArray || !SlotsAreKnown() || type.slot_offsets.empty()) {
    return name;
  }
  return "[" + std::to_string(slot / type.slot_offsets.size()) + name.substr(1);
}

std::string SlotNames::Reference(ObjectId holder, size_t n) const {
  return Slot(holder, model_->graph.SlotOfReference(holder, n));
}

SlotKey SlotNames::Key(ObjectId holder, uint64_t slot) const {
  if (const HeapStaticField* field = Static(holder, slot)) {
    const auto index = static_cast<size_t>(field - model_->graph.statics().data());
    return {SlotKey::Kind::kStatic, first_of_field_[index], 0};
  }
  const HeapGraph& graph = model_->graph;
  const ClassIndex type = first_of_type_[graph.ClassOf(holder)];
  const size_t slots = graph.classes()[type].slot_offsets.size();
  if (slots == 0 || (!SlotsAreKnown() && slots != 1)) {
    return {SlotKey::Kind::kField, type, SlotKey::kUnknownSlot};
  }
  const bool is_array = graph.classes()[type].kind == HeapClass::Kind::kArray;
  if (!is_array && slot >= slots) return {SlotKey::Kind::kField, type, SlotKey::kUnknownSlot};
  return {SlotKey::Kind::kField, type, static_cast<uint32_t>(slot % slots)};
}

SlotKey SlotNames::ReferenceKey(ObjectId holder, size_t n) const {
  return Key(holder, model_->graph.SlotOfReference(holder, n));
}

std::string SlotNames::Name(SlotKey key) const {
  const HeapGraph& graph = model_->graph;
  switch (key.kind) {
    case SlotKey::Kind::kStatic:
      return StaticName(graph.statics()[key.owner]);
    case SlotKey::Kind::kDependent:
      return ".(dependent)";
    case SlotKey::Kind::kField:
      break;
  }
  const HeapClass& type = graph.classes()[key.owner];
  const StringId name = key.slot < type.slot_names.size() ? type.slot_names[key.slot] : 0;
  if (type.kind != HeapClass::Kind::kArray) return "." + FieldText(model_->dictionaries, name);
  if (name == 0) return "[]";
  return "[]." + FieldText(model_->dictionaries, name);
}

}  // namespace hindsight::analyzer
