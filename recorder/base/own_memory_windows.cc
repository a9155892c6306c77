#include <windows.h>

#include "recorder/base/own_memory.h"
#include "recorder/base/user_address.h"

namespace hindsight::recorder {

OwnMemory::OwnMemory() = default;

bool OwnMemory::Read(uintptr_t address, void* out, size_t size) const {
  SIZE_T read = 0;
  return MayBeUserAddress(address) &&
         ReadProcessMemory(GetCurrentProcess(), reinterpret_cast<void*>(address), out, size,
                           &read) &&
         read == size;
}

bool ReadOwn(uintptr_t address, void* out, size_t size) {
  return OwnMemory().Read(address, out, size);
}

bool ReadOwnWord(uintptr_t address, uintptr_t& out) {
  return OwnMemory().Read(address, &out, sizeof out);
}

}  // namespace hindsight::recorder
