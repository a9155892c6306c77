#include "recorder/base/memory.h"

#include "recorder/base/pages.h"

namespace hindsight::recorder {

void* MemoryBudget::Map(size_t bytes) {
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes >
      limit_.load(std::memory_order_relaxed)) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  void* memory = MapSparsePages(bytes);
  if (memory == nullptr) used_.fetch_sub(bytes, std::memory_order_relaxed);
  return memory;
}

void MemoryBudget::Unmap(void* memory, size_t bytes) {
  if (memory == nullptr) return;
  UnmapPages(memory, bytes);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace hindsight::recorder
