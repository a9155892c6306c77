// Where static fields lie, so that the analyzer can name the slots that hold them.
//
// The runtime keeps references of static fields in arrays on the pinned heap, and those of thread
// statics in arrays of each thread, which a collection may move. Only classes that are loaded
// already are asked about: a class is loaded exactly if one of its methods is known by its token.
//
// Cold: the thread that owns the Metadata.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/heap/unload_guard.h"
#include "recorder/names/fields.h"

namespace hindsight::recorder {

struct StaticSlot {
  clr::ClassID type;
  clr::mdFieldDef field;
  uint64_t address;
  clr::ThreadID thread;  // 0: not a thread static
};

class StaticFields {
 public:
  StaticFields(Metadata& names, UnloadGuard& guard) : names_(names), guard_(guard) {}

  // Callback of an unload, under the guard's lock.
  void ModuleUnloaded(clr::ModuleID module);

  // Before the pause: which static fields there are in the modules loaded now.
  void Learn();
  // After it. `classes`: those with objects, whose generic instantiations have statics of their
  // own. `holds` tells whether addresses found so far are still those of the snapshot.
  void FindThreadStatics(const std::function<bool()>& holds, std::vector<StaticSlot>& out);
  void FindStatics(std::span<const clr::ClassID> classes, std::vector<StaticSlot>& out);

 private:
  struct Field {
    clr::mdFieldDef token;
    bool is_thread;
  };
  struct Owner {
    clr::ModuleID module;
    clr::mdTypeDef token;
    bool is_generic;
    std::vector<Field> fields;
  };

  void LearnModule(clr::ModuleID module);
  clr::ClassID LoadedClass(const Owner& owner);
  void AddStatics(clr::ClassID type, const Owner& owner, std::vector<StaticSlot>& out);

  Metadata& names_;
  UnloadGuard& guard_;
  std::vector<Owner> owners_;
  std::unordered_map<uint64_t, size_t> owner_index_;  // of generic ones: module and token
  std::unordered_set<clr::ModuleID> learned_;
  std::unordered_map<clr::ModuleID, clr::AppDomainID> domains_;
};

}  // namespace hindsight::recorder
