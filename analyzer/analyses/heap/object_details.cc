#include "analyzer/analyses/heap/object_details.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/naming/field_names.h"

namespace hindsight::analyzer {
namespace {

std::string ValueText(ValueField::Kind kind, int64_t value) {
  char out[40];
  switch (kind) {
    case ValueField::Kind::kUnsigned:
      return std::to_string(static_cast<uint64_t>(value));
    case ValueField::Kind::kFloat:
      std::snprintf(out, sizeof out, "%.17g", std::bit_cast<double>(value));
      return out;
    case ValueField::Kind::kBool:
      return value == 0 ? "false" : "true";
    case ValueField::Kind::kChar:
      if (value >= 0x20 && value < 0x7f) return {'\'', static_cast<char>(value), '\''};
      std::snprintf(out, sizeof out, "'\\u%04x'", static_cast<unsigned>(value & 0xffff));
      return out;
    case ValueField::Kind::kSigned:
    case ValueField::Kind::kText:
      break;
  }
  return std::to_string(value);
}

void AddReferences(const HeapModel& model, const SlotNames& names, size_t limit,
                   ObjectDetails& details) {
  const HeapGraph& graph = model.graph;
  const HeapClass& type = graph.classes()[graph.ClassOf(details.id)];
  const bool shows_nulls =
      type.kind != HeapClass::Kind::kArray && graph.facts.method != HeapFacts::Method::kCallbacks;
  uint64_t next = 0;  // slot
  const auto add = [&](uint64_t slot, ObjectId target) {
    ++details.reference_count;
    if (details.references.size() < limit) {
      details.references.push_back({names.Slot(details.id, slot), target});
    }
  };
  const auto add_nulls = [&](uint64_t end) {
    for (; shows_nulls && next < end; ++next) add(next, kNoObject);
  };
  graph.ForEachReference(details.id, [&](uint64_t slot, ObjectId target) {
    add_nulls(slot);
    add(slot, target);
    next = slot + 1;
  });
  add_nulls(type.slot_offsets.size());
}

void AddValues(const HeapModel& model, ObjectDetails& details) {
  const HeapGraph& graph = model.graph;
  const HeapClass& type = graph.classes()[graph.ClassOf(details.id)];
  for (uint32_t i = 0; i < type.value_fields.size(); ++i) {
    const ValueField& field = type.value_fields[i];
    ObjectValue value;
    value.field = naming::FieldName(model.dictionaries.String(field.name));
    if (field.kind == ValueField::Kind::kText) {
      const auto text = graph.Text(details.id, i);
      value.text = text ? "\"" + std::string(*text) + "\"" : "null";
    } else {
      const auto number = graph.Value(details.id, i);
      if (!number) continue;
      value.text = ValueText(field.kind, *number);
    }
    details.values.push_back(std::move(value));
  }
}

void AddReferrers(const HeapModel& model, const SlotNames& names, size_t limit,
                  ObjectDetails& details) {
  const HeapGraph& graph = model.graph;
  const auto add = [&](ObjectId holder, std::string slot) {
    ++details.referrer_count;
    if (details.referrers.size() < limit) details.referrers.push_back({holder, std::move(slot)});
  };
  for (ObjectId holder = 0; holder < graph.size(); ++holder) {
    const auto references = graph.References(holder);
    const auto found = std::find(references.begin(), references.end(), details.id);
    if (found == references.end()) continue;
    const bool is_named = details.referrers.size() < limit;
    add(holder, is_named ? names.Reference(holder, static_cast<size_t>(found - references.begin()))
                         : std::string());
  }
  for (const HeapDependent& dependent : graph.dependents()) {
    if (dependent.value == details.id && dependent.key < graph.size()) {
      add(dependent.key, names.Name({SlotKey::Kind::kDependent, 0, 0}));
    }
  }
}

}  // namespace

ObjectDetails DescribeObject(const HeapModel& model, const Dominators& dominators,
                             const SlotNames& names, const RootPaths& paths, ObjectId id,
                             size_t limit) {
  const HeapGraph& graph = model.graph;
  ObjectDetails details;
  details.id = id;
  if (graph.classes()[graph.ClassOf(id)].component_bytes != 0) details.length = graph.Length(id);
  for (const HeapRoot& root : graph.roots()) {
    if (root.object == id) details.roots.push_back(root);
  }
  AddReferences(model, names, limit, details);
  AddValues(model, details);
  AddReferrers(model, names, limit, details);
  if (dominators.IsReachable(id)) {
    const std::vector<bool> is_holder = StaticHolders(graph);
    for (ObjectId above = dominators.immediate[id]; above != kSuperRoot;
         above = dominators.immediate[above]) {
      if (is_holder[above]) continue;
      ++details.dominator_count;
      if (details.dominators.size() < limit) details.dominators.push_back(above);
    }
  }
  details.path = PathParts(model, names, paths, id);
  return details;
}

}  // namespace hindsight::analyzer
