// Whose code a frame is: what profiles are coloured by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

enum class FrameKind : uint8_t {
  kApplication,
  kFramework,  // assemblies that come with .NET, by their names
  kRuntime,    // CoreCLR's own native libraries and stubs, those of its host and of the framework
  kNative,     // other native code
  kType,       // no code: a type, as the innermost entry of a path
  kUnknown,    // a place of which nothing is known
};
inline constexpr size_t kFrameKindCount = 6;

// "application", "framework", ...
std::string_view FrameKindName(FrameKind kind);

// By the module's name. Stubs between managed and native code are the runtime's; what an
// application makes at run time (DynamicMethod) is its own.
FrameKind FrameKindOf(const Dictionaries& dictionaries, CodeKinds& kinds, MethodId method);

// Whether an assembly of this name comes with .NET or ASP.NET Core.
bool IsFrameworkAssembly(std::string_view name);

}  // namespace hindsight::analyzer
