#include "analyzer/base/column.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace hindsight::analyzer {
namespace {

constexpr size_t kMappedBytes = 128u << 10;   // from here on by mapping
constexpr size_t kLargePageBytes = 2u << 20;  // from here on in large pages, if there are any

}  // namespace

void* TakeMemory(size_t bytes) {
  if (bytes < kMappedBytes) {
    void* memory = std::calloc(1, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  AdviseLargePages(memory, bytes);
  return memory;
}

void RefuseOutOfColumn(size_t at, size_t size) {
  throw std::out_of_range("place " + std::to_string(at) + " of a column of " +
                          std::to_string(size));
}

void AdviseLargePages(void* memory, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(memory) + bytes;
  if (bytes < kLargePageBytes || begin >= end) return;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // as the system likes
}

void GiveMemory(void* memory, size_t bytes) {
  if (bytes < kMappedBytes) {
    std::free(memory);
  } else {
    munmap(memory, bytes);
  }
}

void ShrinkMemory(void* memory, size_t bytes, size_t kept) {
  if (bytes < kMappedBytes) return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t begin = (kept + page - 1) / page * page;
  if (begin < bytes) madvise(static_cast<char*>(memory) + begin, bytes - begin, MADV_DONTNEED);
}

}  // namespace hindsight::analyzer
