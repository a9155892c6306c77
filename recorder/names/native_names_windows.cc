#include "recorder/names/native_names.h"

namespace hindsight::recorder {

// Only CPU samples have native frames, and there are none on Windows.
bool NativeNames::Describe(uintptr_t, NativeFunction& out) {
  out = {};
  return false;
}

uint64_t NativeNames::memory_bytes() const { return 0; }

}  // namespace hindsight::recorder
