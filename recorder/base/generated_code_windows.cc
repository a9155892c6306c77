#include <windows.h>

#include "recorder/base/generated_code.h"

namespace hindsight::recorder {

bool GeneratedCode::Contains(uintptr_t address) {
  constexpr DWORD kExecutable =
      PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
  MEMORY_BASIC_INFORMATION region;
  return VirtualQuery(reinterpret_cast<void*>(address), &region, sizeof region) != 0 &&
         region.Type != MEM_IMAGE && (region.Protect & kExecutable) != 0;
}

}  // namespace hindsight::recorder
