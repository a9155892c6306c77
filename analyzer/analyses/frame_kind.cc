#include "analyzer/analyses/frame_kind.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "analyzer/base/file_name.h"
#include "analyzer/base/prefixes.h"
#include "analyzer/naming/assembly_names.h"

namespace hindsight::analyzer {
namespace {

// Libraries of the runtime other than coreclr: of its host, of its debugger, and of the framework.
bool IsRuntimeLibrary(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"clr",     "mscord",     "coreclrtraceptprovider",
                                            "hostfxr", "hostpolicy", "hindsight",
                                            "System.", "nethost"};
  return StartsWithAny(name, kPrefixes);
}

}  // namespace

std::string_view FrameKindName(FrameKind kind) {
  constexpr std::array<std::string_view, kFrameKindCount> kNames = {
      "application", "framework", "runtime", "native", "type", "unknown", "package"};
  return kNames[static_cast<size_t>(kind)];
}

FrameKinds::FrameKinds(const Dictionaries& dictionaries, std::string_view application)
    : dictionaries_(dictionaries), code_(dictionaries), owners_(dictionaries, application) {}

FrameKind FrameKinds::Of(MethodId method) {
  if (method >= kinds_.size()) kinds_.resize(size_t{method} + 1);
  if (kinds_[method] == 0) kinds_[method] = static_cast<uint8_t>(Find(method)) + 1;
  return static_cast<FrameKind>(kinds_[method] - 1);
}

FrameKind FrameKinds::Find(MethodId id) {
  if (id == 0) return FrameKind::kUnknown;
  const Method& method = dictionaries_.method(id);
  const ModuleId owner =
      method.module != 0 ? method.module : dictionaries_.type(method.type).module;
  switch (code_.Of(id)) {
    case CodeKind::kStub:
    case CodeKind::kRuntime:
    case CodeKind::kJit:
    case CodeKind::kCollector:
      return FrameKind::kRuntime;
    case CodeKind::kNative:
      return IsRuntimeLibrary(LibraryName(dictionaries_.String(dictionaries_.module(owner).path)))
                 ? FrameKind::kRuntime
                 : FrameKind::kNative;
    default:
      break;
  }
  return OfManaged(owner, method.type, method.is_dynamic);
}

// If the module is unknown, the type's name decides.
MethodId FrameKinds::InnermostYours(std::span<const MethodId> path) {
  const auto yours =
      std::ranges::find_if(path, [this](MethodId method) { return IsYours(method); });
  return yours == path.end() ? 0 : *yours;
}

FrameKind FrameKinds::OfManaged(ModuleId owner, TypeId type, bool is_dynamic) {
  const Module& module = dictionaries_.module(owner);
  if (module.assembly == 0 && module.path == 0 && !is_dynamic &&
      naming::IsFrameworkAssembly(dictionaries_.String(dictionaries_.type(type).name))) {
    return FrameKind::kFramework;
  }
  switch (owners_.Of(owner)) {
    case ModuleOwner::kFramework:
      return FrameKind::kFramework;
    case ModuleOwner::kPackage:
      return FrameKind::kPackage;
    default:
      return FrameKind::kApplication;
  }
}

}  // namespace hindsight::analyzer
