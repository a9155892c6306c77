#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/base/pages.h"

namespace hindsight::analyzer {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

void* TakePages(size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void GivePages(void* memory, size_t bytes) { munmap(memory, bytes); }

void DropPages(void* memory, size_t bytes) { madvise(memory, bytes, MADV_DONTNEED); }

void PreferLargePages(void* memory, size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); }

}  // namespace hindsight::analyzer
