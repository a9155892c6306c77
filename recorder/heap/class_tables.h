// Names what a snapshot's child has found: classes, their slots and values, roots, statics.
//
// Writes the tables of the snapshot's file. Not time-critical: on the snapshot's thread. An object
// may be dead, and its class unloaded before the pause: see Gc::heap_as_of_ns. If anything has been
// unloaded since that time, only classes that the MethodTable flag marks as not unloadable are
// queried, and only once the flag was proved on this runtime (collectible_flag.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/heap/collectible_flag.h"
#include "recorder/heap/root_buffer.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/heap/static_fields.h"
#include "recorder/heap/thread_tables.h"
#include "recorder/heap/value_rules.h"
#include "recorder/names/fields.h"

namespace hindsight::recorder {

class ClassTables {
 public:
  struct Ages {
    std::vector<clr::ModuleID> permanent_modules;
    bool only_permanent;  // no other module was loaded after the pause
    uint64_t paused_ns;
    uint64_t heap_as_of_ns;  // Gc::heap_as_of_ns before the pause
    CollectibleFlagProof& flag;
  };

  ClassTables(RuntimeMetadata& names, DictionaryWriter& dictionaries, PacketWriter& packets,
              const ValueRules& rules, ThreadTables& threads, Ages ages);

  // The time at which this class is known to have been loaded.
  uint64_t AsOf(const SnapshotClass& type) const;
  // Whether this class is known not to be unloadable.
  bool IsPermanent(const SnapshotClass& type) const {
    return flag_.fits() ? !type.is_collectible : only_permanent_;
  }
  // Whether WriteClasses could query it.
  bool IsNamed(const SnapshotClass& type) const { return named_.contains(type.method_table); }

  // All classes that were found. `plan_values`: the child waits for the plan in `shared`; otherwise
  // the objects have already been written, without values.
  void WriteClasses(SnapshotShared& shared, bool plan_values);
  void WriteRoots(std::span<const HeapRootEntry> roots, std::span<const DependentEntry> dependents);
  void WriteStatics(std::span<const StaticSlot> statics);

 private:
  void WriteClass(SnapshotShared& shared, uint32_t index, bool plan_values);
  void PlanValues(SnapshotShared& shared, SnapshotClass& type, const std::string& name,
                  std::span<const FieldLeaf> leaves, std::vector<uint32_t>& names);
  bool IsWhatItWas(const SnapshotShared& shared, uint32_t index) const;
  void CompareFlag(const SnapshotClass& type, const TypeDescription& description);
  uint32_t IdOfBase(uint64_t method_table, uint64_t as_of_ns);
  void WriteBases();
  // Ends the segment if it is full.
  void Room();

  RuntimeMetadata& names_;
  DictionaryWriter& dictionaries_;
  PacketWriter& packets_;
  const ValueRules& rules_;
  ThreadTables& threads_;
  const std::unordered_set<clr::ModuleID> permanent_;
  const uint64_t paused_ns_, heap_as_of_ns_;
  const bool only_permanent_;  // no module that is loaded may be unloaded
  CollectibleFlagProof& flag_;
  FieldResolver fields_;
  std::unordered_set<uint64_t> named_;
  std::unordered_map<uint64_t, uint32_t> ids_;  // MethodTable -> HeapClass.id
  std::vector<AliveClass> bases_;               // have an id but no entry yet
  uint32_t next_id_ = 1;
};

}  // namespace hindsight::recorder
