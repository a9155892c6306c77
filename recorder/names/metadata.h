// Names of what the runtime identifies by ids: asks the profiling API and the modules' metadata.
//
// Cold: one recorder thread owns an object and makes all its calls; it allocates. The ids must
// belong to something loaded: the runtime does not check them, so nothing may be asked about a
// module after its ModuleUnloadStarted. A question fails (false) while a module or type is still
// being loaded; asked later, it may succeed: no failure is remembered. Names longer than
// kMaxNameUnits are cut there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "recorder/clr/info.h"
#include "recorder/names/code.h"
#include "recorder/names/descriptions.h"
#include "recorder/names/scope.h"
#include "recorder/names/text_buffer.h"

namespace hindsight::recorder {

class Metadata {
 public:
  // Borrows `info`, which must outlive this object.
  explicit Metadata(clr::ICorProfilerInfo10* info) : info_(info) {}
  Metadata(const Metadata&) = delete;
  Metadata& operator=(const Metadata&) = delete;

  // Each replaces `out`. False: the runtime has no answer (now); `out` then holds what is known.
  bool DescribeModule(clr::ModuleID module, ModuleDescription& out);
  bool DescribeType(clr::ClassID type, TypeDescription& out);
  // The open type behind a token of `module`: for methods whose `type` is 0.
  bool DescribeTypeDef(clr::ModuleID module, clr::mdTypeDef token, TypeDescription& out);
  bool DescribeMethod(clr::FunctionID function, MethodDescription& out);
  bool IsDynamic(clr::FunctionID function) const;  // DynamicMethod or IL stub

  // The module's own metadata; null if it has none (now). Valid until ModuleUnloaded or Release.
  Scope* ScopeOf(clr::ModuleID module) { return FindScope(module); }
  clr::ICorProfilerInfo10* info() const { return info_; }

  // See code.h.
  clr::FunctionID FunctionAt(uintptr_t ip, AddressKind kind) const {
    clr::ReJITID rejit = 0;
    return recorder::FunctionAt(info_, ip, kind, rejit);
  }
  bool LookUp(uintptr_t ip, AddressKind kind, CodeDescription& out) {
    return LookUpCode(info_, ip, kind, out);
  }

  // Metadata objects are held per module, from the first question about it until this, Release or
  // the destructor. Call it once nothing of the module will be asked any more.
  void ModuleUnloaded(clr::ModuleID module) { scopes_.erase(module); }
  // Gives every reference back to the runtime, as a detach needs it. May be used again afterwards.
  void Release() { scopes_.clear(); }

 private:
  class Resolver;

  void DescribePdb(uintptr_t base, uint32_t flags, ModuleDescription& out) const;
  Scope* FindScope(clr::ModuleID module);  // null if the module has no metadata (now)
  bool DescribeType(clr::ClassID type, uint32_t depth, TypeDescription& out);
  bool DescribeArray(uint32_t depth, TypeDescription& out);
  bool DescribeDynamicMethod(clr::FunctionID function, MethodDescription& out);
  std::string CSharpName(clr::ClassID type, uint32_t depth);

  clr::ICorProfilerInfo10* const info_;
  TextBuffer text_;
  std::unordered_map<clr::ModuleID, std::unique_ptr<Scope>> scopes_;
};

}  // namespace hindsight::recorder
