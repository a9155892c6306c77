#include "analyzer/reader/heap_tables.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {
namespace {

// Converts an enum of the schema to the model's; a value of a newer version becomes `unknown`.
template <typename Ours>
Ours Known(int value, Ours last, Ours unknown) {
  return value >= 0 && value <= static_cast<int>(last) ? static_cast<Ours>(value) : unknown;
}

// The object that contains `address`.
ObjectId ObjectAt(const HeapColumns& columns, uint64_t address) {
  const ObjectId id = columns.index.FindAtOrBefore(address);
  if (id == ObjectIndex::kNone) return kNoObject;
  const uint64_t bytes = columns.shapes[columns.ClassOf(id)].Bytes(columns.Length(id));
  return address - columns.index.Address(id) < bytes ? id : kNoObject;
}

// Which slot of its object is at `address`; false if none is.
bool SlotAt(const HeapColumns& columns, ObjectId id, uint64_t address, uint64_t& slot) {
  const HeapClass& type = columns.classes[columns.ClassOf(id)];
  uint64_t offset = address - columns.index.Address(id);
  uint64_t element = 0;
  if (type.kind == HeapClass::Kind::kArray) {
    if (type.component_bytes == 0 || offset < type.base_bytes - uint64_t{8}) return false;
    offset -= type.base_bytes - uint64_t{8};
    element = offset / type.component_bytes;
    offset %= type.component_bytes;
    if (element >= columns.Length(id)) return false;
  }
  const auto found = std::find(type.slot_offsets.begin(), type.slot_offsets.end(), offset);
  if (found == type.slot_offsets.end()) return false;
  slot =
      element * type.slot_offsets.size() + static_cast<uint64_t>(found - type.slot_offsets.begin());
  return true;
}

}  // namespace

void HeapTables::Take(const PacketContext& context, const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kProcess:
      model_.application = packet.process().application();
      model_.pid = packet.process().pid();
      model_.runtime_version = packet.process().runtime_version();
      model_.host = packet.process().host();
      return;
    case Packet::kString:
      return names_.Add(packet.string());
    case Packet::kModule:
      return names_.Add(packet.module());
    case Packet::kType:
      return names_.Add(packet.type());
    case Packet::kMethod:
      return names_.Add(packet.method());
    case Packet::kFrame:
      return names_.Add(packet.frame());
    case Packet::kStack:
      return names_.Add(packet.stack());
    case Packet::kThread:
      return threads_.Add(packet.thread());
    case Packet::kHeapSnapshot:
      return OnSnapshot(context, packet.heap_snapshot());
    case Packet::kHeapRange: {
      const hindsight::HeapRange& range = packet.heap_range();
      ranges_.push_back(
          {range.start(), range.used_bytes(), range.reserved_bytes(),
           Known(static_cast<int>(range.generation()), Generation::kFrozen, Generation::kUnknown)});
      return;
    }
    case Packet::kHeapClass:
      return OnClass(packet.heap_class());
    case Packet::kHeapRoots:
      return OnRoots(packet.heap_roots());
    case Packet::kHeapDependents:
      return OnDependents(packet.heap_dependents());
    case Packet::kHeapStatic: {
      const HeapStatic& field = packet.heap_static();
      statics_.push_back({names_.TypeOf(field.type()), names_.Name(field.field()),
                          field.slot_address(), field.thread()});
      return;
    }
    case Packet::kHeapMonitors:
      return threads_.Add(packet.heap_monitors());
    case Packet::kHeapThread:
      return threads_.Add(packet.heap_thread());
    case Packet::kHeapAllocations:
      return survivors_.Add(packet.heap_allocations());
    case Packet::kHeapSnapshotEnd:
      return OnEnd(packet.heap_snapshot_end());
    default:
      return;
  }
}

void HeapTables::OnSnapshot(const PacketContext& context, const HeapSnapshot& snapshot) {
  facts_.number = snapshot.number();
  facts_.unix_ns = context.unix_ns;
  snapshot_ns_ = context.monotonic_ns;
  facts_.trigger =
      Known(snapshot.trigger(), HeapFacts::Trigger::kGrowth, HeapFacts::Trigger::kUnknown);
  facts_.method =
      Known(snapshot.method(), HeapFacts::Method::kCallbacks, HeapFacts::Method::kUnknown);
  facts_.roots_method = Known(snapshot.roots_method(), HeapFacts::RootsMethod::kCalibrated,
                              HeapFacts::RootsMethod::kUnknown);
  facts_.fallback_reason = snapshot.fallback_reason();
  facts_.server_gc = snapshot.server_gc();
  facts_.concurrent_gc = snapshot.concurrent_gc();
  facts_.heap_count = snapshot.heap_count();
  facts_.resident_bytes = snapshot.resident_bytes();
  facts_.value_rules.assign(snapshot.value_rule().begin(), snapshot.value_rule().end());
}

void HeapTables::OnClass(const hindsight::HeapClass& entry) {
  if (entry.id() >= classes_.size()) classes_.resize(entry.id() + 1);
  HeapClass& type = classes_[entry.id()];
  type = {};
  type.type = names_.TypeOf(entry.type());
  type.base = entry.base();
  type.base_bytes = entry.base_bytes();
  type.component_bytes = entry.component_bytes();
  type.kind = Known(entry.kind(), HeapClass::Kind::kString, HeapClass::Kind::kClass);
  type.finalizable = entry.finalizable();
  type.collectible = entry.collectible();
  type.slot_offsets.assign(entry.slot_offset().begin(), entry.slot_offset().end());
  for (const uint32_t name : entry.slot_name()) type.slot_names.push_back(names_.Name(name));
  type.slot_names.resize(type.slot_offsets.size());
  for (const auto& field : entry.value_field()) {
    type.value_fields.push_back(
        {names_.Name(field.name()),
         Known(field.kind(), ValueField::Kind::kText, ValueField::Kind::kUnsigned)});
  }
}

void HeapTables::OnRoots(const HeapRoots& roots) {
  uint64_t address = 0;
  for (int i = 0; i < roots.kind_size(); ++i) {
    address += static_cast<uint64_t>(roots.address_delta(i));
    roots_.push_back({address, Known(roots.kind(i), RootKind::kPinnedStack, RootKind::kOther),
                      i < roots.method_size() ? names_.MethodOf(roots.method(i)) : 0});
  }
}

void HeapTables::OnDependents(const HeapDependents& dependents) {
  uint64_t key = 0;
  uint64_t value = 0;
  for (int i = 0; i < dependents.key_delta_size(); ++i) {
    key += static_cast<uint64_t>(dependents.key_delta(i));
    value += static_cast<uint64_t>(dependents.value_delta(i));
    dependents_.emplace_back(key, value);
  }
}

void HeapTables::OnEnd(const HeapSnapshotEnd& end) {
  facts_.result =
      Known(end.result(), HeapFacts::Result::kStoppedByRequest, HeapFacts::Result::kCheckFailed);
  facts_.result_reason = end.reason();
  facts_.certified_objects = end.objects();
  facts_.certified_bytes = end.object_bytes();
  facts_.certified_slots = end.slots();
  facts_.certified_roots = end.roots();
  facts_.free_bytes = end.free_bytes();
  facts_.gc_bytes = end.gc_bytes();
  facts_.dangling_slots = end.dangling_slots();
  facts_.suspend_ns = end.suspend_ns();
  facts_.collect_ns = end.collect_ns();
  facts_.roots_ns = end.roots_ns();
  facts_.fork_ns = end.fork_ns();
  facts_.pause_ns = end.pause_ns();
  facts_.pauses = end.pauses();
  facts_.all_pauses_ns = end.all_pauses_ns();
  facts_.child_wall_ns = end.child_wall_ns();
  facts_.child_cpu_ns = end.child_cpu_ns();
  facts_.child_private_bytes = end.child_private_bytes();
  facts_.written_bytes = end.written_bytes();
}

void HeapTables::Finish() {
  facts_.threads = threads_.threads();
  facts_.monitors = threads_.monitors();
  facts_.monitors_unknown_because = threads_.monitors_unknown_because();
  CutCycles();
  for (const HeapClass& type : classes_) shapes_.push_back(HeapShape::Of(type));
  std::sort(ranges_.begin(), ranges_.end(),
            [](const HeapRange& a, const HeapRange& b) { return a.start < b.start; });
}

// Makes chains of base classes end, whatever the input says.
void HeapTables::CutCycles() {
  std::vector<uint32_t> seen_by(classes_.size());
  for (uint32_t first = 1; first < classes_.size(); ++first) {
    for (uint32_t at = first; seen_by[at] == 0;) {
      seen_by[at] = first;
      uint32_t& base = classes_[at].base;
      if (base >= classes_.size() || seen_by[base] == first) base = 0;
      if (base == 0) break;
      at = base;
    }
  }
}

HeapModel HeapTables::TakeModel(HeapColumns& columns) {
  columns.classes = std::move(classes_);
  columns.shapes = shapes_;
  columns.ranges = std::move(ranges_);
  return std::move(model_);
}

namespace {

// A static field of a struct type lies in a box, and the field's address is in that box. The
// field's slot is the one that refers to the box: it is in an array of references, like all
// statics.
void NameBoxes(const std::unordered_map<ObjectId, HeapStaticField>& boxed, HeapColumns& columns) {
  constexpr uint32_t kReferenceBytes = 8;
  HeapGraph graph(std::move(columns));
  std::vector<HeapStaticField> named;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const HeapClass& type = graph.classes()[graph.ClassOf(id)];
    if (type.kind != HeapClass::Kind::kArray || type.component_bytes != kReferenceBytes ||
        type.slot_offsets.size() != 1) {
      continue;
    }
    const std::span<const ObjectId> references = graph.References(id);
    for (size_t n = 0; n < references.size(); ++n) {
      const auto box = boxed.find(references[n]);
      if (box == boxed.end()) continue;
      HeapStaticField field = box->second;
      field.holder = id;
      field.slot = graph.SlotOfReference(id, n);
      named.push_back(field);
    }
  }
  columns = std::move(graph).TakeColumns();
  columns.statics.insert(columns.statics.end(), named.begin(), named.end());
}

}  // namespace

void HeapTables::Resolve(HeapColumns& columns) const {
  std::unordered_map<ObjectId, HeapStaticField> boxed;  // by box
  columns.PlaceRanges();
  for (const Root& root : roots_) {
    const ObjectId id = ObjectAt(columns, root.address);
    if (id != kNoObject) columns.roots.push_back({id, root.kind, root.method});
  }
  for (const Static& field : statics_) {
    const ObjectId holder = ObjectAt(columns, field.slot_address);
    if (holder == kNoObject) continue;
    HeapStaticField found = {field.type, field.field, holder, 0, threads_.OsId(field.thread)};
    if (columns.classes[columns.ClassOf(holder)].kind == HeapClass::Kind::kBoxed) {
      boxed.emplace(holder, found);
    } else if (SlotAt(columns, holder, field.slot_address, found.slot)) {
      columns.statics.push_back(found);
    }
  }
  if (!boxed.empty() && columns.has_slots) NameBoxes(boxed, columns);
  columns.SortStatics();
  for (const auto& [key, value] : dependents_) {
    const HeapDependent pair = {ObjectAt(columns, key), ObjectAt(columns, value)};
    if (pair.key != kNoObject && pair.value != kNoObject) columns.dependents.push_back(pair);
  }
  threads_.Resolve(columns);
}

}  // namespace hindsight::analyzer
