#include <windows.h>

#include "recorder/base/runtime_library.h"

namespace hindsight::recorder {
namespace {

// In a single-file application the runtime is the program itself. Neither is ever unloaded.
HMODULE Runtime() {
  const HMODULE library = GetModuleHandleW(L"coreclr.dll");
  return library != nullptr ? library : GetModuleHandleW(nullptr);
}

}  // namespace

void* RuntimeSymbol(const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(Runtime(), name));
}

void StayMapped() {
  HMODULE self = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     reinterpret_cast<const wchar_t*>(&StayMapped), &self);
}

std::vector<RuntimeSegment> RuntimeSegments() {
  std::vector<RuntimeSegment> segments;
  const auto* base = reinterpret_cast<const uint8_t*>(Runtime());
  const auto* dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(base);
  const auto* headers = reinterpret_cast<const IMAGE_NT_HEADERS*>(base + dos->e_lfanew);
  const IMAGE_SECTION_HEADER* const sections = IMAGE_FIRST_SECTION(headers);
  for (unsigned i = 0; i < headers->FileHeader.NumberOfSections; ++i) {
    const IMAGE_SECTION_HEADER& section = sections[i];
    const DWORD flags = section.Characteristics;
    if ((flags & IMAGE_SCN_MEM_READ) == 0 || (flags & IMAGE_SCN_MEM_DISCARDABLE) != 0) continue;
    segments.push_back({base + section.VirtualAddress, section.Misc.VirtualSize,
                        (flags & IMAGE_SCN_MEM_WRITE) != 0, (flags & IMAGE_SCN_MEM_EXECUTE) != 0});
  }
  return segments;
}

}  // namespace hindsight::recorder
