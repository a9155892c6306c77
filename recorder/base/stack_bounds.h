// Where a thread's stack ends, as another thread can find out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight::recorder {

struct StackBounds {
  uintptr_t low = 0;   // that it may grow down to
  uintptr_t high = 0;  // its end; 0: unknown

  bool known() const { return high != 0; }
};

// Of the thread whose stack and thread pointer (FS base) these are, by /proc/self/maps. Either its
// stack is the process's first one, which the kernel marks; or libc has laid the thread's control
// block, to which the thread pointer points, at the upper end of the stack (glibc and musl do, on
// stacks of the application's too). On anything else, such as an alternate signal stack: unknown.
StackBounds FindStackBounds(std::string_view maps, uintptr_t stack_pointer,
                            uintptr_t thread_pointer);

// /proc/self/maps; empty if it cannot be read. Allocates.
std::string ReadOwnMaps();

}  // namespace hindsight::recorder
