// Whose code a frame is: determines the colors of profiles, and what counts as your code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/places/module_owners.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

enum class FrameKind : uint8_t {
  kApplication,  // the application's own assemblies: see module_owners.h
  kFramework,    // assemblies that come with .NET
  kRuntime,      // CoreCLR's own native libraries and stubs, those of its host and of the framework
  kNative,       // other native code
  kType,         // no code: a type, as the innermost entry of a path
  kUnknown,      // a place of which nothing is known
  kPackage,      // managed code of others: packages
};
inline constexpr size_t kFrameKindCount = 7;

// "application", "framework", ...
std::string_view FrameKindName(FrameKind kind);

// Each found out once. One thread.
class FrameKinds {
 public:
  // `model` outlives this, and gets no further modules.
  explicit FrameKinds(const Model& model)
      : FrameKinds(model.dictionaries, model.facts.application) {}
  // Of a heap snapshot. `application`: the entry assembly's name.
  FrameKinds(const Dictionaries& dictionaries, std::string_view application);

  // Stubs between managed and native code are the runtime's; what an application makes at run time
  // (DynamicMethod) is its own.
  FrameKind Of(MethodId method);
  CodeKind CodeOf(MethodId method) { return code_.Of(method); }
  // A method that somebody wrote for this application.
  bool IsYours(MethodId method) {
    return method != 0 && !dictionaries_.method(method).is_dynamic &&
           Of(method) == FrameKind::kApplication;
  }
  // By its assembly.
  FrameKind OfType(TypeId type) {
    return type != 0 ? OfManaged(dictionaries_.type(type).module, type) : FrameKind::kUnknown;
  }
  bool IsYourType(TypeId type) { return OfType(type) == FrameKind::kApplication; }

 private:
  FrameKind Find(MethodId id);
  FrameKind OfManaged(ModuleId module, TypeId type, bool is_dynamic = false);

  const Dictionaries& dictionaries_;
  CodeKinds code_;
  ModuleOwners owners_;
  std::vector<uint8_t> kinds_;  // by MethodId: 0 not found out yet, else FrameKind + 1
};

}  // namespace hindsight::analyzer
