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

void AddReferences(const HeapModel& model, const SlotNames& names, const DetailRange& range,
                   ObjectDetails& details) {
  const HeapGraph& graph = model.graph;
  const HeapClass& type = graph.classes()[graph.ClassOf(details.id)];
  const bool shows_nulls =
      type.kind != HeapClass::Kind::kArray && graph.facts.method != HeapFacts::Method::kCallbacks;
  uint64_t next = 0;  // slot
  const auto add = [&](uint64_t slot, ObjectId target) {
    if (details.reference_count++ < range.references_from) return;
    if (details.references.size() < range.rows) {
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

// Calls fn(holder) for each object that refers to `id`, in ascending order.
template <typename Fn>
void ForEachReferrer(const HeapGraph& graph, ObjectId id, const Referrers* known, const Fn& fn) {
  if (known != nullptr) {
    for (const ObjectId holder : known->Of(id)) fn(holder);
    return;
  }
  for (ObjectId holder = 0; holder < graph.size(); ++holder) {
    const auto references = graph.References(holder);
    if (std::find(references.begin(), references.end(), id) != references.end()) fn(holder);
  }
}

void AddReferrers(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                  const DetailRange& range, const Referrers* known, ObjectDetails& details) {
  const HeapGraph& graph = model.graph;
  const auto add = [&](ObjectId holder, const auto& slot) {
    if (details.referrer_count++ < range.referrers_from) return;
    if (details.referrers.size() < range.rows) details.referrers.push_back({holder, slot()});
  };
  ForEachReferrer(graph, details.id, known, [&](ObjectId holder) {
    add(holder, [&] {
      const auto step = paths.StepTo(holder, details.id);
      return step ? names.Reference(holder, step->reference) : std::string();
    });
  });
  for (const HeapDependent& dependent : graph.dependents()) {
    if (dependent.value == details.id && dependent.key < graph.size()) {
      add(dependent.key, [&] { return names.Name({SlotKey::Kind::kDependent, 0, 0}); });
    }
  }
}

}  // namespace

ObjectDetails DescribeObject(const HeapModel& model, const Dominators& dominators,
                             const SlotNames& names, const RootPaths& paths, ObjectId id,
                             const DetailRange& range, const Referrers* referrers) {
  const HeapGraph& graph = model.graph;
  ObjectDetails details;
  details.id = id;
  if (graph.classes()[graph.ClassOf(id)].component_bytes != 0) details.length = graph.Length(id);
  for (const HeapRoot& root : graph.roots()) {
    if (root.object == id) details.roots.push_back(root);
  }
  AddReferences(model, names, range, details);
  AddValues(model, details);
  AddReferrers(model, names, paths, range, referrers, details);
  if (dominators.IsReachable(id)) {
    const std::vector<bool> is_holder = StaticHolders(graph);
    for (ObjectId above = dominators.immediate[id]; above != kSuperRoot;
         above = dominators.immediate[above]) {
      if (is_holder[above]) continue;
      ++details.dominator_count;
      if (details.dominators.size() < range.rows) details.dominators.push_back(above);
    }
  }
  details.path = PathParts(model, names, paths, id);
  return details;
}

}  // namespace hindsight::analyzer
