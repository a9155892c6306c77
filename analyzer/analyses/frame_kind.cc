#include "analyzer/analyses/frame_kind.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace hindsight::analyzer {
namespace {

// Of the runtime beside libcoreclr.so itself: its host, its debugger's and the framework's own.
bool IsRuntimeLibrary(std::string_view file) {
  constexpr std::string_view kPrefixes[] = {
      "libclr",     "libmscord", "libcoreclrtraceptprovider", "libhost", "libhindsight",
      "libSystem.", "libnethost"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [file](std::string_view prefix) { return file.starts_with(prefix); });
}

}  // namespace

std::string_view FrameKindName(FrameKind kind) {
  constexpr std::array<std::string_view, kFrameKindCount> kNames = {
      "application", "framework", "runtime", "native", "type", "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

bool IsFrameworkAssembly(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"System.", "Microsoft.AspNetCore.",
                                            "Microsoft.Extensions.", "Microsoft.Win32."};
  constexpr std::string_view kNames[] = {"System",
                                         "mscorlib",
                                         "netstandard",
                                         "WindowsBase",
                                         "Microsoft.CSharp",
                                         "Microsoft.VisualBasic",
                                         "Microsoft.VisualBasic.Core",
                                         "Microsoft.JSInterop",
                                         "Microsoft.Net.Http.Headers"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [name](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

FrameKind FrameKindOf(const Dictionaries& dictionaries, CodeKinds& kinds, MethodId id) {
  if (id == 0) return FrameKind::kUnknown;
  const Method& method = dictionaries.method(id);
  const ModuleId owner = method.module != 0 ? method.module : dictionaries.type(method.type).module;
  const Module& module = dictionaries.module(owner);
  const std::string_view file = FileName(dictionaries.String(module.path));
  switch (kinds.Of(id)) {
    case CodeKind::kStub:
    case CodeKind::kRuntime:
    case CodeKind::kJit:
    case CodeKind::kCollector:
      return FrameKind::kRuntime;
    case CodeKind::kNative:
      return IsRuntimeLibrary(file) ? FrameKind::kRuntime : FrameKind::kNative;
    default:
      break;
  }
  std::string_view name = dictionaries.String(module.assembly);
  if (name.empty()) name = file;
  if (name.empty() && !method.is_dynamic)
    name = dictionaries.String(dictionaries.type(method.type).name);
  return IsFrameworkAssembly(name) ? FrameKind::kFramework : FrameKind::kApplication;
}

}  // namespace hindsight::analyzer
