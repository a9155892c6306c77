// Finds the bounds of a thread's stack from another thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hindsight::recorder {

struct StackBounds {
  uintptr_t low = 0;   // lowest address that it may grow down to
  uintptr_t high = 0;  // its upper end; 0: unknown

  bool known() const { return high != 0; }
};

// Bounds for a thread with this stack pointer and thread pointer (FS base), from /proc/self/maps.
// Either it is the process's first stack, which the kernel marks; or libc has placed the thread
// control block, which the thread pointer points to, at the upper end of the stack (glibc and musl
// do, also on stacks that the application supplies). Anything else, such as an alternate signal
// stack: unknown.
StackBounds FindStackBounds(std::string_view maps, uintptr_t stack_pointer,
                            uintptr_t thread_pointer);

// The bounds of the calling thread's stack. May allocate.
StackBounds OwnStackBounds();

}  // namespace hindsight::recorder
