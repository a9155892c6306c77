// Whether the MethodTable flag of unloadable classes means on this runtime what it meant on those
// that were read (method_table.h). It is a private constant of the runtime's, so nothing relies on
// it before it was seen right both ways: clear in a class of a module that is never unloaded, and
// set in one of a module that may be. Until then every class may be unloadable.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"
#include "recorder/names/metadata.h"

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
  bool fits() const { return permanent_seen_ && unloadable_seen_ && !is_refuted_; }

  // Looks for classes that are loaded now, one of each sort that was not seen yet. The thread that
  // owns `names`, not in a pause.
  void Seek(uint32_t flag, Metadata& names, clr::ICorProfilerInfo10* info);

 private:
  bool permanent_seen_ = false, unloadable_seen_ = false, is_refuted_ = false;
};

}  // namespace hindsight::recorder
