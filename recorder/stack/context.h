// The CONTEXT structure that DoStackSnapshot provides on x64, as far as walks need it
// (dotnet/runtime, src/coreclr/pal/inc/pal.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::recorder {

inline constexpr size_t kContextRsp = 0x98;
inline constexpr size_t kContextRbp = 0xa0;
inline constexpr size_t kContextRip = 0xf8;

inline uintptr_t ContextWord(const uint8_t* context, size_t offset) {
  uintptr_t word;
  std::memcpy(&word, context + offset, sizeof(word));
  return word;
}

}  // namespace hindsight::recorder
