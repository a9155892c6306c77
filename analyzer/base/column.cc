#include "analyzer/base/column.h"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "analyzer/base/pages.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMappedBytes = 128u << 10;   // from here on mapped
constexpr size_t kLargePageBytes = 2u << 20;  // from here on in large pages, if available

}  // namespace

void* TakeMemory(size_t bytes) {
  if (bytes < kMappedBytes) {
    void* memory = std::calloc(1, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void* memory = TakePages(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  AdviseLargePages(memory, bytes);
  return memory;
}

void RefuseOutOfColumn(size_t at, size_t size) {
  throw std::out_of_range("place " + std::to_string(at) + " of a column of " +
                          std::to_string(size));
}

void AdviseLargePages(void* memory, size_t bytes) {
  const uintptr_t page = PageBytes();
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(memory) + bytes;
  if (bytes < kLargePageBytes || begin >= end) return;
  PreferLargePages(reinterpret_cast<void*>(begin), (end - begin) / page * page);
}

void GiveMemory(void* memory, size_t bytes) {
  if (bytes < kMappedBytes) {
    std::free(memory);
  } else {
    GivePages(memory, bytes);
  }
}

void ShrinkMemory(void* memory, size_t bytes, size_t kept) {
  if (bytes < kMappedBytes) return;
  const size_t page = PageBytes();
  const size_t begin = (kept + page - 1) / page * page;
  if (begin < bytes) DropPages(static_cast<char*>(memory) + begin, bytes - begin);
}

}  // namespace hindsight::analyzer
