// The revision of the sources that an assembly was compiled from. Since .NET 8 the SDK appends that
// of a git checkout to the informational version: `1.4.0+b53c6d…`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hindsight::recorder {

inline constexpr char16_t kInformationalVersion[] =
    u"System.Reflection.AssemblyInformationalVersionAttribute";

// `value`: of that attribute, as in the metadata (ECMA-335, II.23.3). Hexadecimal digits; empty if
// there is no revision.
std::string SourceRevision(std::span<const uint8_t> value);

}  // namespace hindsight::recorder
