#include "recorder/heap/class_tables.h"

#include <algorithm>
#include <utility>

#include "recorder/base/own_memory.h"
#include "recorder/heap/method_table.h"

namespace hindsight::recorder {
namespace {

using ClassKind = wire::HeapClass::Kind;
using RootKind = wire::HeapRoots::Kind;
using ValueKind = wire::HeapClass::ValueField::Kind;

RootKind KindOf(const HeapRootEntry& root) {
  const bool pinned = (root.flags & kRootPinning) != 0;
  switch (root.kind) {
    case clr::COR_PRF_GC_ROOT_STACK:
      return pinned ? RootKind::kPinnedStack : RootKind::kStack;
    case clr::COR_PRF_GC_ROOT_FINALIZER:
      return RootKind::kFinalizerQueue;
    case clr::COR_PRF_GC_ROOT_HANDLE:
      if ((root.flags & kRootWeak) != 0) return RootKind::kWeakHandle;
      if ((root.flags & kRootRefcounted) != 0) return RootKind::kRefcountedHandle;
      return pinned ? RootKind::kPinnedHandle : RootKind::kStrongHandle;
    default:
      return RootKind::kOther;
  }
}

constexpr uint32_t kLeastObjectBytes =
    22;  // size of an empty string, header included; all others have more
constexpr size_t kRootsInPacket = 32u << 10;

}  // namespace

ClassTables::ClassTables(RuntimeMetadata& names, DictionaryWriter& dictionaries,
                         PacketWriter& packets, const ValueRules& rules, ThreadTables& threads,
                         Ages ages)
    : names_(names),
      dictionaries_(dictionaries),
      packets_(packets),
      rules_(rules),
      threads_(threads),
      permanent_(ages.permanent_modules.begin(), ages.permanent_modules.end()),
      paused_ns_(ages.paused_ns),
      heap_as_of_ns_(ages.heap_as_of_ns),
      only_permanent_(ages.only_permanent),
      flag_(ages.flag),
      fields_(names, std::move(ages.permanent_modules)) {}

uint64_t ClassTables::AsOf(const SnapshotClass& type) const {
  const bool may_all_be_asked = names_.gate().NothingUnloadedSince(heap_as_of_ns_);
  return !may_all_be_asked && !type.is_collectible && flag_.fits() ? kForEver : heap_as_of_ns_;
}

void ClassTables::Room() {
  if (packets_.full()) packets_.End(SegmentKind::kHeapTables);
  packets_.Begin();
}

void ClassTables::WriteClasses(SnapshotShared& shared, bool plan_values) {
  const uint32_t count = shared.class_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) ids_[shared.classes[i].method_table] = i + 1;
  next_id_ = count + 1;
  for (uint32_t i = 0; i < count; ++i) {
    Room();
    WriteClass(shared, i, plan_values);
  }
  WriteBases();
}

uint32_t ClassTables::IdOfBase(uint64_t method_table, uint64_t as_of_ns) {
  if (method_table == 0) return 0;
  const auto [place, is_new] = ids_.try_emplace(method_table, next_id_);
  if (is_new) {
    ++next_id_;
    bases_.push_back({method_table, as_of_ns});
  }
  return place->second;
}

void ClassTables::WriteBases() {
  // Grows during the loop: base classes have base classes.
  for (size_t i = 0; i < bases_.size(); ++i) {
    Room();
    const auto [type_id, as_of_ns] = bases_[i];
    uint64_t parent = 0;
    uint32_t bytes = 0;
    if (const auto hold = names_.gate().Enter(as_of_ns)) {
      const MethodTable table(type_id);
      parent = table.parent();
      bytes = table.base_bytes();
    }
    const uint32_t base = IdOfBase(parent, as_of_ns);
    dictionaries_.AsOf(as_of_ns);
    const uint32_t type = dictionaries_.Type(type_id);
    const auto id = ids_[type_id];
    packets_.Write(wire::Packet::kHeapClass, kNoTime, [&](auto& entry) {
      entry.Set(entry.kId, id);
      entry.Set(entry.kType, type);
      entry.Set(entry.kBase, base);
      entry.Set(entry.kBaseBytes, bytes);
    });
  }
  bases_.clear();
}

void ClassTables::WriteClass(SnapshotShared& shared, uint32_t index, bool plan_values) {
  SnapshotClass& type = shared.classes[index];
  uint32_t id = 0;
  uint32_t base = 0;
  std::vector<FieldLeaf> leaves;
  std::vector<uint32_t> slot_names;
  std::vector<uint32_t> value_names;
  TypeDescription description;
  if (!type.is_free && IsWhatItWas(shared, index)) {
    const uint64_t as_of_ns = AsOf(type);
    if (const auto hold = names_.gate().Enter(as_of_ns)) {
      names_.DescribeType(*hold, type.method_table, description);
      leaves = fields_.Leaves(*hold, type.method_table);
      if (as_of_ns != kForEver) CompareFlag(type, description);
    }
    dictionaries_.AsOf(as_of_ns);
    id = dictionaries_.Type(type.method_table);
    if (id != 0) named_.insert(type.method_table);
    // The parent of an unloadable class may be unloadable too; those of other classes never are.
    if (id != 0 && !(flag_.fits() && type.is_collectible)) {
      base = IdOfBase(type.parent, flag_.fits() ? kForEver : heap_as_of_ns_);
    }
  }
  const std::span offsets(shared.slots + type.first_slot, type.slot_count);
  if (!leaves.empty()) {
    for (const std::string& name : FieldResolver::NamesAt(leaves, offsets)) {
      slot_names.push_back(dictionaries_.Text(name));
    }
  } else {
    slot_names.resize(offsets.size());
  }
  if (plan_values) PlanValues(shared, type, description.name, leaves, value_names);
  const std::span values(shared.values + type.first_value, type.value_count);
  packets_.Write(wire::Packet::kHeapClass, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, index + 1);
    entry.Set(entry.kType, id);
    entry.Set(entry.kBase, base);
    entry.Set(entry.kBaseBytes, type.base_bytes);
    entry.Set(entry.kComponentBytes, type.component_bytes);
    entry.Set(entry.kKind, type.is_string  ? ClassKind::kString
                           : type.is_array ? ClassKind::kArray
                           : type.is_boxed ? ClassKind::kBoxed
                                           : ClassKind::kClass);
    if (type.is_finalizable) entry.Set(entry.kFinalizable, true);
    if (type.is_collectible) entry.Set(entry.kCollectible, true);
    entry.Set(entry.kSlotOffset, offsets);
    entry.Set(entry.kSlotName, slot_names);
    for (size_t i = 0; i < values.size(); ++i) {
      ProtoWriter field(entry, entry.kValueField);
      field.Set(field.kName, value_names[i]);
      field.Set(field.kKind, values[i].kind);
    }
  });
}

// A dead object may have outlived even the MethodTable of its class (seen on .NET 10 under a CPU
// quota: a mapped image with zeros at that address), which then says nothing, not even that it was
// unloadable. So what was read in the image must be plausible, must still be there, and must not
// come from where the walk gave up.
bool ClassTables::IsWhatItWas(const SnapshotShared& shared, uint32_t index) const {
  const SnapshotClass& type = shared.classes[index];
  if (type.base_bytes < kLeastObjectBytes) return false;
  if (shared.error != 0 && index + 1 == shared.class_count) return false;
  if (type.is_collectible) return true;  // queried only as of a time anyway
  struct {
    uint32_t flags, base_bytes;
    uint64_t other, parent;
  } now;
  static_assert(sizeof(now) == MethodTable::kBytes);
  return OwnMemory().Read(type.method_table, &now, sizeof(now)) &&
         now.base_bytes == type.base_bytes && now.parent == type.parent &&
         (now.flags & shared.collectible_flag) == 0;
}

// The runtime reports whether a module is unloadable: a class of that module, without arguments,
// must have the same flag.
void ClassTables::CompareFlag(const SnapshotClass& type, const TypeDescription& description) {
  if (description.module == 0 || description.rank != 0 || !description.arguments.empty()) return;
  flag_.Saw(permanent_.contains(description.module), type.is_collectible);
}

void ClassTables::PlanValues(SnapshotShared& shared, SnapshotClass& type, const std::string& name,
                             std::span<const FieldLeaf> leaves, std::vector<uint32_t>& names) {
  type.first_value = shared.value_count;
  type.value_count = 0;
  const auto plan = [&](const PlannedValue& value, std::string_view path) {
    if (shared.value_count == kMaxHeapValues || type.value_count == kMaxClassValues) return;
    shared.values[shared.value_count++] = value;
    ++type.value_count;
    names.push_back(dictionaries_.Text(path));
  };
  if (type.is_string && rules_.AllowsAllStrings()) {
    plan({kWholeObject, 0, ValueKind::kText}, "(contents)");
  }
  if (type.is_array || type.is_string) return;
  for (const FieldLeaf& leaf : leaves) {
    if (leaf.kind == LeafKind::kReference) {
      if (rules_.AllowsText(name, leaf.path)) plan({leaf.offset, 8, ValueKind::kText}, leaf.path);
      continue;
    }
    if (leaf.kind == LeafKind::kStruct || !rules_.AllowsNumber(name, leaf.path)) continue;
    static constexpr ValueKind kKinds[] = {ValueKind::kUnsigned, ValueKind::kSigned,
                                           ValueKind::kUnsigned, ValueKind::kFloat,
                                           ValueKind::kBool,     ValueKind::kChar};
    plan({leaf.offset, leaf.bytes, kKinds[static_cast<size_t>(leaf.kind)]}, leaf.path);
  }
}

void ClassTables::WriteRoots(std::span<const HeapRootEntry> roots,
                             std::span<const DependentEntry> dependents) {
  std::unordered_map<uint64_t, uint32_t> methods;
  dictionaries_.AsOf(paused_ns_);
  for (size_t first = 0; first < roots.size(); first += kRootsInPacket) {
    const auto part = roots.subspan(first, std::min(kRootsInPacket, roots.size() - first));
    Room();
    std::vector<RootKind> kinds;
    std::vector<uint32_t> holders;
    std::vector<int64_t> deltas;
    uint64_t previous = 0;
    for (const HeapRootEntry& root : part) {
      kinds.push_back(KindOf(root));
      deltas.push_back(static_cast<int64_t>(root.address - previous));
      previous = root.address;
      uint32_t method = 0;
      if (root.kind == clr::COR_PRF_GC_ROOT_STACK && root.id != 0) {
        const auto [known, is_new] = methods.try_emplace(root.id, 0);
        if (is_new) known->second = dictionaries_.Method(root.id);
        method = known->second;
      }
      holders.push_back(method);
    }
    packets_.Write(wire::Packet::kHeapRoots, kNoTime, [&](auto& entry) {
      entry.Set(entry.kKind, kinds);
      entry.Set(entry.kAddressDelta, deltas);
      entry.Set(entry.kMethod, holders);
    });
  }
  for (size_t first = 0; first < dependents.size(); first += kRootsInPacket) {
    const auto part =
        dependents.subspan(first, std::min(kRootsInPacket, dependents.size() - first));
    Room();
    std::vector<int64_t> keys;
    std::vector<int64_t> values;
    uint64_t key = 0;
    uint64_t value = 0;
    for (const DependentEntry& entry : part) {
      keys.push_back(static_cast<int64_t>(entry.key - key));
      values.push_back(static_cast<int64_t>(entry.value - value));
      key = entry.key;
      value = entry.value;
    }
    packets_.Write(wire::Packet::kHeapDependents, kNoTime, [&](auto& entry) {
      entry.Set(entry.kKeyDelta, keys);
      entry.Set(entry.kValueDelta, values);
    });
  }
}

void ClassTables::WriteStatics(std::span<const StaticSlot> statics) {
  for (const StaticSlot& slot : statics) {
    Room();
    FieldProperties field;
    {
      const auto hold = names_.gate().Enter(slot.as_of_ns);
      TypeDescription description;
      if (!hold || !names_.DescribeType(*hold, slot.type, description)) continue;
      Scope* const scope = names_.ScopeOf(*hold, description.module);
      if (scope == nullptr || !scope->Field(slot.field, field)) continue;
    }
    dictionaries_.AsOf(slot.as_of_ns);
    const uint32_t type = dictionaries_.Type(slot.type);
    const uint32_t name = dictionaries_.Text(field.name);
    const uint32_t thread = threads_.Entry(slot.thread, slot.os_id);
    packets_.Write(wire::Packet::kHeapStatic, kNoTime, [&](auto& entry) {
      entry.Set(entry.kType, type);
      entry.Set(entry.kField, name);
      entry.Set(entry.kSlotAddress, slot.address);
      if (thread != 0) entry.Set(entry.kThread, thread);
    });
  }
}

}  // namespace hindsight::recorder
