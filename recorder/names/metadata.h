// Names of what the runtime identifies by ids: asks the profiling API and the modules' metadata.
//
// Cold: one recorder thread owns an object and makes all its calls; it allocates. The ids must
// belong to something loaded: the runtime does not check them, so nothing may be asked about a
// module after its ModuleUnloadStarted. A question fails (false) while the runtime is suspended for
// a GC, or while a module or type is still being loaded; asked later, it may succeed: no failure is
// remembered. Names longer than kMaxNameUnits are cut there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/clr/info.h"
#include "recorder/clr/metadata.h"
#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxNameUnits = 4096;  // UTF-16 units of one name or path
inline constexpr uint32_t kMaxGenericArguments = 256;
inline constexpr uint32_t kMaxCodeBodies = 256;  // native bodies of one method that are looked at
inline constexpr uint32_t kMaxCodeRegions = 16;
inline constexpr uint32_t kMaxIlMapEntries = 64u << 10;

class Metadata {
 public:
  // Borrows `info`, which must outlive this object.
  explicit Metadata(clr::ICorProfilerInfo10* info);
  ~Metadata();
  Metadata(const Metadata&) = delete;
  Metadata& operator=(const Metadata&) = delete;

  // Each replaces `out`. False: the runtime has no answer (now); `out` then holds what is known.
  bool DescribeModule(clr::ModuleID module, ModuleDescription& out);
  bool DescribeType(clr::ClassID type, TypeDescription& out);
  // The open type behind a token of `module`: for methods whose `type` is 0.
  bool DescribeTypeDef(clr::ModuleID module, clr::mdTypeDef token, TypeDescription& out);
  bool DescribeMethod(clr::FunctionID function, MethodDescription& out);

  // The native body that holds what `ip` stands for. False: no managed code is there (any more).
  // True with empty regions: the method is known and its body is not (IL stubs of some runtimes).
  bool LookUp(uintptr_t ip, AddressKind kind, CodeDescription& out);

  // Metadata objects are held per module, from the first question about it until this, Release or
  // the destructor. Call it once nothing of the module will be asked any more.
  void ModuleUnloaded(clr::ModuleID module);
  // Gives every reference back to the runtime, as a detach needs it. May be used again afterwards.
  void Release();

 private:
  struct Scope;
  class Resolver;

  Scope* FindScope(clr::ModuleID module);  // null if the module has no metadata (now)
  std::string TypeDefName(Scope& scope, clr::mdTypeDef token);
  bool DescribeArray(clr::ClassID type, uint32_t depth, TypeDescription& out, bool& is_array);
  bool DescribeType(clr::ClassID type, uint32_t depth, TypeDescription& out);
  bool DescribeDynamicMethod(clr::FunctionID function, MethodDescription& out);
  void ReadRegions(uintptr_t ip, CodeDescription& out);
  void ReadIlMap(CodeDescription& out);

  // Calls `read(char16_t* buffer, uint32_t capacity, uint32_t* length)`, with a larger buffer once
  // if the first is too small; appends the text to `out`.
  template <typename Read>
  bool ReadText(Read&& read, std::string& out);

  clr::ICorProfilerInfo10* const info_;
  std::unordered_map<clr::ModuleID, std::unique_ptr<Scope>> scopes_;
  std::vector<char16_t> text_;
};

}  // namespace hindsight::recorder
