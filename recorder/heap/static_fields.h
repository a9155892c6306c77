// Where static fields lie, so that the analyzer can name the slots that hold them.
//
// The runtime keeps references of static fields in arrays on the pinned heap, and those of thread
// statics in arrays of each thread, which a collection may move. Only classes that are loaded
// already are asked about: a class is loaded exactly if one of its methods is known by its token.
//
// Modules that are never unloaded are learned once, others for each snapshot. Of those nothing is
// asked any more once something has been unloaded.
//
// Cold: the thread that owns the Metadata.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/names/fields.h"

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
  uint64_t as_of_ns;     // when `type` was alive, see code_gate.h
};

class StaticFields {
 public:
  StaticFields(Metadata& names, clr::ICorProfilerInfo10* info) : names_(names), info_(info) {}

  // Before the pause: which static fields there are in the modules loaded now.
  void Learn();
  // After it. `classes`: those with objects, whose generic instantiations have statics of their
  // own. `holds` tells whether addresses found so far are still those of the
  // snapshot. Statics of code that may be unloaded are not asked for: what they hold hangs on its
  // loader's object in the graph, without the field's name.
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
    uint64_t as_of_ns;  // kForEver: of a module that is never unloaded
    clr::AppDomainID domain;
    std::vector<Field> fields;
  };

  void ForgetWhatMayGo();
  bool LearnAll();
  bool LearnModule(clr::ModuleID module, uint64_t as_of_ns);
  clr::ClassID LoadedClass(const CodeGate::Hold& hold, const Owner& owner);
  void AddStatics(const CodeGate::Hold& hold, clr::ClassID type, uint64_t as_of_ns,
                  const Owner& owner, std::vector<StaticSlot>& out);

  Metadata& names_;
  clr::ICorProfilerInfo10* const info_;
  std::vector<Owner> owners_;
  std::unordered_map<uint64_t, size_t> owner_index_;  // of generic ones: module and token
  std::unordered_set<clr::ModuleID> learned_;         // that are never unloaded
};

}  // namespace hindsight::recorder
