// Locations of static fields, so that the analyzer can name the slots that hold them.
//
// The runtime keeps references of static fields in arrays on the pinned heap, and those of thread
// statics in arrays of each thread, which a collection may move. Only classes that are already
// loaded are queried.
//
// Modules that are never unloaded are read once, others for each snapshot. The latter are no longer
// queried once something has been unloaded.
//
// Not time-critical: the thread that owns the Metadata.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/names/fields.h"
#include "recorder/names/thread_gate.h"

namespace hindsight::recorder {

struct AliveClass {
  clr::ClassID type;
  uint64_t as_of_ns;
};

struct StaticSlot {
  clr::ClassID type;
  clr::mdFieldDef field;
  uint64_t address;
  clr::ThreadID thread;  // 0: not a thread static
  uint32_t os_id;        // of that thread
  uint64_t as_of_ns;     // a time when `type` was loaded, see code_gate.h
};

class StaticFields {
 public:
  StaticFields(RuntimeMetadata& names, ThreadGate& threads, clr::ICorProfilerInfo10* info)
      : names_(names), threads_(threads), info_(info) {}

  // Before the pause: finds the static fields of all modules loaded now.
  void Learn();
  // After it. `classes`: those with objects, because each generic instantiation has statics of its
  // own. `holds` returns whether addresses found so far are still those of the snapshot. Statics of
  // unloadable code are not queried: what they hold is reachable in the graph from its loader's
  // object, without the field's name.
  void FindThreadStatics(const std::function<bool()>& holds, std::vector<StaticSlot>& out);
  void FindStatics(std::span<const AliveClass> classes, std::vector<StaticSlot>& out);

 private:
  struct Field {
    clr::mdFieldDef token;
    bool is_thread;
  };
  struct Owner {
    clr::ModuleID module;
    clr::mdTypeDef token;
    bool is_generic;
    uint64_t as_of_ns;  // kForEver: the module is never unloaded
    clr::AppDomainID domain;
    std::vector<Field> fields;
  };

  void ForgetWhatMayGo();
  bool LearnAll();
  bool LearnModule(clr::ModuleID module, uint64_t as_of_ns);
  void AddStatics(const CodeGate::Hold& hold, clr::ClassID type, uint64_t as_of_ns,
                  const Owner& owner, std::vector<StaticSlot>& out);

  RuntimeMetadata& names_;
  ThreadGate& threads_;
  clr::ICorProfilerInfo10* const info_;
  std::vector<Owner> owners_;
  std::unordered_map<uint64_t, size_t> owner_index_;  // for generic types: module and token
  std::unordered_set<clr::ModuleID> learned_;         // modules that are never unloaded
};

}  // namespace hindsight::recorder
