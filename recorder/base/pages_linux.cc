#include <sys/mman.h>

#include "recorder/base/pages.h"

namespace hindsight::recorder {
namespace {

void* Map(size_t bytes, int flags) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void* MapPages(size_t bytes) { return Map(bytes, MAP_PRIVATE); }

void* MapSparsePages(size_t bytes) { return Map(bytes, MAP_PRIVATE | MAP_NORESERVE); }

void* MapSharedPages(size_t bytes) { return Map(bytes, MAP_SHARED | MAP_NORESERVE); }

void UnmapPages(void* memory, size_t bytes) {
  if (memory != nullptr) munmap(memory, bytes);
}

void* ReservePages(size_t bytes) {
  void* memory = MapSparsePages(bytes);
  if (memory != nullptr) madvise(memory, bytes, MADV_DONTFORK);
  return memory;
}

bool UsePages(void*, size_t) { return true; }

}  // namespace hindsight::recorder
