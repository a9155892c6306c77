// CorElementType: the codes for types in signatures.
//
// Values from ECMA-335, II.23.1.16; kInternal and kInternalModifier are generated only by the
// runtime (dotnet/runtime, src/coreclr/inc/corhdr.h).
#pragma once

#include <cstdint>

namespace hindsight::clr::element {

enum : uint32_t {
  kVoid = 0x01,
  kBoolean = 0x02,
  kChar = 0x03,
  kInt8 = 0x04,
  kUInt8 = 0x05,
  kInt16 = 0x06,
  kUInt16 = 0x07,
  kInt32 = 0x08,
  kUInt32 = 0x09,
  kInt64 = 0x0a,
  kUInt64 = 0x0b,
  kFloat32 = 0x0c,
  kFloat64 = 0x0d,
  kString = 0x0e,
  kPointer = 0x0f,
  kByRef = 0x10,
  kValueType = 0x11,
  kClass = 0x12,
  kVar = 0x13,    // type parameter of a type
  kArray = 0x14,  // with explicit bounds, or of several dimensions
  kGenericInstance = 0x15,
  kTypedByRef = 0x16,
  kIntPtr = 0x18,
  kUIntPtr = 0x19,
  kFunctionPointer = 0x1b,
  kObject = 0x1c,
  kVector = 0x1d,     // one dimension, lower bound 0
  kMethodVar = 0x1e,  // type parameter of a method
  kRequiredModifier = 0x1f,
  kOptionalModifier = 0x20,
  kInternal = 0x21,
  kInternalModifier = 0x22,
  kSentinel = 0x41,
  kPinned = 0x45,
};

}  // namespace hindsight::clr::element
