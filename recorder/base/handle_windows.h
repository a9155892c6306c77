// Between handles of Windows and the numbers by which the recorder knows them. On Windows only.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

inline void* HandleOf(int number) { return reinterpret_cast<void*>(static_cast<intptr_t>(number)); }
// Neither a handle nor a null: -1.
inline int NumberOf(void* handle) {
  return handle == nullptr ? -1 : static_cast<int>(reinterpret_cast<intptr_t>(handle));
}

// The errno of an error of Windows, and of a status of its kernel.
int ErrnoOf(uint32_t error);
int ErrnoOfStatus(int32_t status);

}  // namespace hindsight::recorder
