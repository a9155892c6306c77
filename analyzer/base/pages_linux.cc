#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#if defined(__GLIBC__) && !defined(HINDSIGHT_SANITIZED)
#include <malloc.h>
#endif

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

// glibc itself does so only if a variable of the environment says so. A block that is given back at
// once stays behind as the end of its main heap, from which all later ones then come: those of
// other threads as well, which otherwise have heaps of their own.
void AllocateInLargePages() {
#if defined(__GLIBC__) && !defined(HINDSIGHT_SANITIZED)
  constexpr size_t kMostBytes = size_t{1} << 30, kLargePage = size_t{2} << 20;
  constexpr int kDefaultMaps = 65536, kMostAtOnce = 32 << 20;
  const auto installed = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * PageBytes();
  const size_t bytes = std::min(kMostBytes, installed / 4);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  mallopt(M_MMAP_MAX, 0);
  void* const block = std::malloc(bytes);
  if (block != nullptr) {
    const auto begin = reinterpret_cast<uintptr_t>(block);
    const uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    const uintptr_t end = (begin + bytes) / kLargePage * kLargePage;
    if (first < end) PreferLargePages(reinterpret_cast<void*>(first), end - first);
    std::free(block);
  }
  mallopt(M_MMAP_MAX, kDefaultMaps);
  mallopt(M_MMAP_THRESHOLD, kMostAtOnce);
#endif
}

}  // namespace hindsight::analyzer
