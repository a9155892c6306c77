// The registers in the CONTEXT structure that DoStackSnapshot provides with each frame
// (dotnet/runtime, src/coreclr/pal/inc/pal.h): one implementation for each processor.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

struct FrameRegisters {
  uintptr_t ip, sp, bp;
};

FrameRegisters ReadContext(const uint8_t* context);

}  // namespace hindsight::recorder
