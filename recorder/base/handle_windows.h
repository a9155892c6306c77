// Converts between Windows handles and the numbers that the recorder uses for them. Windows only.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

inline void* HandleOf(int number) { return reinterpret_cast<void*>(static_cast<intptr_t>(number)); }
// -1 for null and for INVALID_HANDLE_VALUE.
inline int NumberOf(void* handle) {
  return handle == nullptr ? -1 : static_cast<int>(reinterpret_cast<intptr_t>(handle));
}

// The errno that corresponds to a Windows error code, and to an NTSTATUS.
int ErrnoOf(uint32_t error);
int ErrnoOfStatus(int32_t status);

}  // namespace hindsight::recorder
