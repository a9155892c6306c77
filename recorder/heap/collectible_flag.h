// Whether the MethodTable flag of unloadable classes has the meaning on this runtime that it has on
// those from which it was read (method_table.h). It is a private constant of the runtime, so it is
// not relied on before it was found right in both cases: clear in a class of a module that is never
// unloaded, and set in one of a module that may be. Until then every class counts as unloadable.
// Most processes have no unloadable module: there it has to be right in classes that are never
// unloaded, and only the garbage of modules that have been unloaded could prove it wrong. Querying
// no classes there would leave the heap after an attach without any names, until a full collection.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"
#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

class CollectibleFlagProof {
 public:
  // A class: whether the runtime says that its module is permanent, and whether it has the flag.
  void Saw(bool is_permanent, bool has_flag) {
    if (is_permanent == has_flag) is_refuted_ = true;
    (is_permanent ? permanent_seen_ : unloadable_seen_) = true;
  }
  bool has_seen(bool is_permanent) const {
    return is_permanent ? permanent_seen_ : unloadable_seen_;
  }
  // True is final unless a class contradicts; that is final in any case.
  bool fits() const {
    return permanent_seen_ && (unloadable_seen_ || only_permanent_) && !is_refuted_;
  }
  // Whether all loaded modules are ones that are never unloaded.
  void SawAll(bool only_permanent) { only_permanent_ = only_permanent; }

  // Looks for classes that are loaded now, one of each kind that was not seen yet. The thread that
  // owns `names`, not in a pause.
  void Seek(uint32_t flag, RuntimeMetadata& names, clr::ICorProfilerInfo10* info);

 private:
  bool permanent_seen_ = false, unloadable_seen_ = false, is_refuted_ = false;
  bool only_permanent_ = false;  // at the last check
};

}  // namespace hindsight::recorder
