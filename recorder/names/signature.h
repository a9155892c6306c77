// Reads method signatures (ECMA-335, II.23.2) and writes their parameter types in C#.
//
// Pure functions over arbitrary bounded bytes: malformed input ends the parsing, never the process.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxSignatureBytes = 64u << 10;  // what is read of a signature
inline constexpr char kUnknown[] = "?";                    // a name that is not known
inline constexpr uint32_t kMaxSignatureDepth = 32;         // nesting of types
inline constexpr uint32_t kMaxSignatureParameters = 256;   // further ones are left out
inline constexpr size_t kMaxParameterChars = 1024;         // bytes of one parameter's text

enum class GenericOwner : uint8_t { kType, kMethod };

// Resolves what a signature only refers to. An empty answer means "not known".
class SignatureResolver {
 public:
  // Raw name of a TypeDef or TypeRef: Namespace.Outer+Inner`1.
  virtual std::string TypeName(clr::mdToken token) = 0;
  virtual std::span<const uint8_t> TypeSpec(clr::mdToken token) = 0;
  virtual std::string GenericParameter(GenericOwner owner, uint32_t index) = 0;
  // A type given by the runtime's own handle, as in signatures generated at run time: its raw name,
  // as above, and the whole type in C#.
  virtual std::string TypeNameByHandle(uintptr_t handle) = 0;
  virtual std::string TypeByHandle(uintptr_t handle) = 0;

 protected:
  ~SignatureResolver() = default;
};

// Parameter types of a method signature, without the hidden `this`. False: malformed; `out` then
// contains the parameters before the error. What cannot be resolved is written `?`, an unknown
// generic parameter `T`.
bool ReadParameters(std::span<const uint8_t> signature, SignatureResolver& resolver,
                    std::vector<std::string>& out);

// Namespace.Outer`1+Inner`1 with two arguments -> Outer<A>.Inner<B>; System.Int32 -> int,
// System.Nullable`1 -> A?, System.ValueTuple`2 -> (A, B). Without arguments, the arity is dropped.
std::string CSharpTypeName(std::string_view raw_name, std::span<const std::string> arguments = {});

}  // namespace hindsight::recorder
