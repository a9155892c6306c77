// Whether the MethodTable flag of unloadable classes means on this runtime what it meant on those
// that were read (method_table.h). It is a private constant of the runtime's, so nothing relies on
// it before it was seen right both ways: clear in a class of a module that is never unloaded, and
// set in one of a module that may be. Until then every class may be unloadable. Most processes have
// no unloadable module: there it has to be right in classes that are never unloaded, and only the
// garbage of modules that have gone could prove it wrong. To ask for neither would leave the heap
// of a process that is attached to without any names, until a full collection.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"
#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

class CollectibleFlagProof {
 public:
  // A class with that flag, of a module of which the runtime says whether it is permanent.
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
  // Whether each module that is loaded is one that is never unloaded.
  void SawAll(bool only_permanent) { only_permanent_ = only_permanent; }

  // Looks for classes that are loaded now, one of each sort that was not seen yet. The thread that
  // owns `names`, not in a pause.
  void Seek(uint32_t flag, RuntimeMetadata& names, clr::ICorProfilerInfo10* info);

 private:
  bool permanent_seen_ = false, unloadable_seen_ = false, is_refuted_ = false;
  bool only_permanent_ = false;  // as it was looked for last
};

}  // namespace hindsight::recorder
