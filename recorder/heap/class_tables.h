// Names what the child of a snapshot has met: classes, their slots and values, roots, statics.
//
// Writes the tables of the snapshot's file. Cold: the snapshot's thread. Classes of unloadable
// contexts are asked about only while nothing has been unloaded since the pause: their ids may name
// nothing any more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/encode/dictionaries.h"
#include "recorder/heap/root_buffer.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/heap/static_fields.h"
#include "recorder/heap/thread_tables.h"
#include "recorder/heap/unload_guard.h"
#include "recorder/heap/value_rules.h"
#include "recorder/names/fields.h"

namespace hindsight::recorder {

class ClassTables {
 public:
  ClassTables(Metadata& names, Dictionaries& dictionaries, PacketWriter& packets,
              UnloadGuard& guard, const ValueRules& rules, ThreadTables& threads);

  // Callback of an unload, under the guard's lock.
  void ModuleUnloaded(clr::ModuleID module) { fields_.ModuleUnloaded(module); }

  // All classes that were found. `plan_values`: the child waits for the plan in `shared`; otherwise
  // the objects have been written, without values.
  void WriteClasses(SnapshotShared& shared, bool plan_values);
  void WriteRoots(std::span<const HeapRootEntry> roots, std::span<const DependentEntry> dependents);
  void WriteStatics(std::span<const StaticSlot> statics);

 private:
  void WriteClass(SnapshotShared& shared, uint32_t index, bool plan_values);
  void PlanValues(SnapshotShared& shared, SnapshotClass& type, const std::string& name,
                  std::span<const FieldLeaf> leaves, std::vector<uint32_t>& names);
  uint32_t IdOfBase(uint64_t method_table);
  void WriteBases();
  // Ends the segment when it is full.
  void Room();

  Metadata& names_;
  Dictionaries& dictionaries_;
  PacketWriter& packets_;
  UnloadGuard& guard_;
  const ValueRules& rules_;
  ThreadTables& threads_;
  FieldResolver fields_;
  std::unordered_map<uint64_t, uint32_t> ids_;  // MethodTable -> HeapClass.id
  std::vector<uint64_t> bases_;                 // that have an id and no entry yet
  uint32_t next_id_ = 1;
};

}  // namespace hindsight::recorder
