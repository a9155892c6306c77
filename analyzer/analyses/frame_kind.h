// Who owns the code of a frame: determines the colors of profiles, and what counts as your code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/places/module_owners.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

enum class FrameKind : uint8_t {
  kApplication,  // the application's own assemblies: see module_owners.h
  kFramework,    // assemblies that come with .NET
  kRuntime,  // CoreCLR's own native libraries and stubs, and those of its host and the framework
  kNative,   // other native code
  kType,     // not code: a type, as the innermost entry of a path
  kUnknown,  // nothing is known about it
  kPackage,  // managed code in packages
};
inline constexpr size_t kFrameKindCount = 7;

// "application", "framework", ...
std::string_view FrameKindName(FrameKind kind);

// Each is determined once. Not thread-safe.
class FrameKinds {
 public:
  // `model` must outlive this, and gets no further modules.
  explicit FrameKinds(const Model& model)
      : FrameKinds(model.dictionaries, model.facts.application) {}
  // For a heap snapshot. `application`: the entry assembly's name.
  FrameKinds(const Dictionaries& dictionaries, std::string_view application);

  // Stubs between managed and native code count as the runtime's; code that an application
  // generates at run time (DynamicMethod) counts as its own.
  FrameKind Of(MethodId method);
  CodeKind CodeOf(MethodId method) { return code_.Of(method); }
  // Whether the method was written for this application.
  bool IsYours(MethodId method) {
    return method != 0 && !dictionaries_.method(method).is_dynamic &&
           Of(method) == FrameKind::kApplication;
  }
  // The first method of yours on a path that begins with the innermost frame; 0: there is none.
  MethodId InnermostYours(std::span<const MethodId> path);
  // Determined by its assembly.
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
  std::vector<uint8_t>
      kinds_;  // indexed by MethodId: 0: not determined yet, otherwise FrameKind + 1
};

}  // namespace hindsight::analyzer
