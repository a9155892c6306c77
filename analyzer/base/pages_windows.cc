#include <windows.h>

#include "analyzer/base/pages.h"

namespace hindsight::analyzer {

size_t PageBytes() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

void* TakePages(size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void GivePages(void* memory, size_t) { VirtualFree(memory, 0, MEM_RELEASE); }

// Memory that is not committed no longer counts. That is enough, because it is not read again.
void DropPages(void* memory, size_t bytes) { VirtualFree(memory, bytes, MEM_DECOMMIT); }

// Large pages require a privilege that users do not have.
void PreferLargePages(void*, size_t) {}

void AllocateInLargePages() {}

}  // namespace hindsight::analyzer
