// Names for the runtime's ids: queries the profiling API and the modules' metadata.
//
// Not time-critical: one recorder thread owns an object and makes all its calls; it allocates. The
// Hold is for the id that is queried, see code_gate.h. A query fails (false) while a module or type
// is still being loaded; it may succeed later, so no failure is cached. Names longer than
// kMaxNameUnits are cut.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "recorder/clr/info.h"
#include "recorder/names/code.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/descriptions.h"
#include "recorder/names/metadata_opener.h"
#include "recorder/names/scope.h"
#include "recorder/names/text_buffer.h"

namespace hindsight::recorder {

class RuntimeMetadata final : public CodeGate::UnloadObserver {
 public:
  // Borrows both, which must outlive this object.
  RuntimeMetadata(clr::ICorProfilerInfo10* info, CodeGate& gate)
      : info_(info), metadata_(info), gate_(gate) {
    gate_.Add(this);
  }
  ~RuntimeMetadata() { gate_.Remove(this); }
  RuntimeMetadata(const RuntimeMetadata&) = delete;
  RuntimeMetadata& operator=(const RuntimeMetadata&) = delete;

  // Each replaces `out`. False: the runtime has no answer (now); `out` then contains what is known.
  bool DescribeModule(const CodeGate::Hold& hold, clr::ModuleID module, ModuleDescription& out);
  bool DescribeType(const CodeGate::Hold& hold, clr::ClassID type, TypeDescription& out);
  // The open type behind a token of `module`: for methods whose `type` is 0.
  bool DescribeTypeDef(const CodeGate::Hold& hold, clr::ModuleID module, clr::mdTypeDef token,
                       TypeDescription& out);
  bool DescribeMethod(const CodeGate::Hold& hold, clr::FunctionID function, MethodDescription& out);
  // Whether the module stays for the life of the process. Also false if the runtime does not say.
  bool IsPermanent(const CodeGate::Hold& hold, clr::ModuleID module);

  // The module's own metadata; null if it has none (now). Valid until the Hold ends.
  Scope* ScopeOf(const CodeGate::Hold& hold, clr::ModuleID module) {
    return FindScope(hold, module);
  }
  clr::ICorProfilerInfo10* info(const CodeGate::Hold&) const { return info_; }
  CodeGate& gate() { return gate_; }

  // See code.h.
  CodeFound LookUp(const CodeGate::Hold& hold, uintptr_t ip, AddressKind kind,
                   CodeDescription& out) {
    return LookUpCode(hold, info_, ip, kind, out);
  }

  // Metadata objects are kept per module, from the first query about it until its unload, Release
  // or the destructor.
  void ModuleUnloading(clr::ModuleID module) override {
    scopes_.erase(module);
    type_names_.clear();
  }
  // Releases all references into the runtime, as needed for a detach. Outside of a Hold; the object
  // may be used again afterwards.
  void Release();

 private:
  class Resolver;

  void DescribePdb(uintptr_t base, uint32_t flags, ModuleDescription& out) const;
  Scope* FindScope(const CodeGate::Hold& hold,
                   clr::ModuleID module);  // null if the module has no metadata (now)
  bool DescribeType(const CodeGate::Hold& hold, clr::ClassID type, uint32_t depth,
                    TypeDescription& out);
  bool DescribeArray(const CodeGate::Hold& hold, uint32_t depth, TypeDescription& out);
  bool DescribeDynamicMethod(const CodeGate::Hold& hold, clr::FunctionID function,
                             MethodDescription& out);
  std::string CSharpName(const CodeGate::Hold& hold, clr::ClassID type, uint32_t depth);
  // As Scope::TypeName, inside a Hold.
  std::string TypeName(Scope& scope, clr::ModuleID module, clr::mdToken token);

  clr::ICorProfilerInfo10* const info_;
  const MetadataOpener metadata_;
  CodeGate& gate_;
  TextBuffer text_;
  std::unordered_map<clr::ModuleID, std::unique_ptr<Scope>> scopes_;

  // Names of types that occurred in recent signatures: many methods take the same ones.
  static constexpr size_t kMaxTypeNames = 2048;
  struct TypeKey {
    clr::ModuleID module;
    clr::mdToken token;
    bool operator==(const TypeKey&) const = default;
  };
  struct TypeHash {
    size_t operator()(const TypeKey& key) const {
      return (key.module ^ key.token) * 0x9e3779b97f4a7c15u;
    }
  };
  std::unordered_map<TypeKey, std::string, TypeHash> type_names_;
};

}  // namespace hindsight::recorder
