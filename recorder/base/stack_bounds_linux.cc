#include <pthread.h>

#include "recorder/base/mappings.h"
#include "recorder/base/stack_bounds.h"

namespace hindsight::recorder {

StackBounds FindStackBounds(std::string_view maps, uintptr_t stack_pointer,
                            uintptr_t thread_pointer) {
  StackBounds bounds;
  uintptr_t end_before = 0;
  ForEachMapping(maps, [&](const Mapping& mapping) {
    if (stack_pointer < mapping.low || stack_pointer >= mapping.high) {
      end_before = mapping.high;
      return true;
    }
    // The kernel lets the first stack grow into the free space below it.
    if (mapping.name == "[stack]") {
      bounds = {end_before, mapping.high};
    } else if (thread_pointer > stack_pointer && thread_pointer < mapping.high) {
      bounds = {mapping.low, thread_pointer};
    }
    return false;
  });
  return bounds;
}

// libc allocates here: it returns the bounds together with a set of processors.
StackBounds OwnStackBounds() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
}

}  // namespace hindsight::recorder
