#include "recorder/base/memory.h"

#include <sys/mman.h>

namespace hindsight::recorder {

void* MemoryBudget::Map(size_t bytes) {
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes >
      limit_.load(std::memory_order_relaxed)) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  return memory;
}

void MemoryBudget::Unmap(void* memory, size_t bytes) {
  if (memory == nullptr) return;
  munmap(memory, bytes);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace hindsight::recorder
