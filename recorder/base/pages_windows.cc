#include <windows.h>

#include <cerrno>

#include "recorder/base/pages.h"

namespace hindsight::recorder {
namespace {

void* Allocate(void* at, size_t bytes, DWORD how) {
  void* const memory = VirtualAlloc(at, bytes, how, PAGE_READWRITE);
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

}  // namespace

void* MapPages(size_t bytes) { return Allocate(nullptr, bytes, MEM_RESERVE | MEM_COMMIT); }

// Counts against the commit limit, and is backed by memory on first use.
void* MapSparsePages(size_t bytes) { return MapPages(bytes); }

// Processes are not copied.
void* MapSharedPages(size_t bytes) { return MapPages(bytes); }

void UnmapPages(void* memory, size_t) {
  if (memory != nullptr) VirtualFree(memory, 0, MEM_RELEASE);
}

void* ReservePages(size_t bytes) { return Allocate(nullptr, bytes, MEM_RESERVE); }

bool UsePages(void* part, size_t bytes) { return Allocate(part, bytes, MEM_COMMIT) != nullptr; }

}  // namespace hindsight::recorder
