#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "recorder/base/pages.h"
#include "recorder/base/proc_file.h"

namespace hindsight::recorder {
namespace {

void* Map(size_t bytes, int flags) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Whether some of its memory is locked. If it is all of it, now and in future (mlockall), a new
// mapping gets all of its pages at once, used or not.
bool HasLockedMemory() {
  constexpr std::string_view kNone = "\nVmLck:\t       0 kB\n";
  const std::string status = ReadProcFile("/proc/self/status");
  return !status.empty() && status.find(kNone) == std::string::npos;
}

// Large, and mostly unused. A mapping that nobody may access gets no pages, and when its access is
// changed, it is no longer a locked one.
void* MapLarge(size_t bytes, int flags) {
  if (!HasLockedMemory()) return Map(bytes, flags | MAP_NORESERVE);
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  munlock(memory, bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0) return memory;
  const int error = errno;
  munmap(memory, bytes);
  errno = error;
  return nullptr;
}

}  // namespace

void* MapPages(size_t bytes) { return Map(bytes, MAP_PRIVATE); }

void* MapSparsePages(size_t bytes) { return Map(bytes, MAP_PRIVATE | MAP_NORESERVE); }

void* MapSharedPages(size_t bytes) { return MapLarge(bytes, MAP_SHARED); }

void UnmapPages(void* memory, size_t bytes) {
  if (memory != nullptr) munmap(memory, bytes);
}

void* ReservePages(size_t bytes) {
  void* memory = MapLarge(bytes, MAP_PRIVATE);
  if (memory != nullptr) madvise(memory, bytes, MADV_DONTFORK);
  return memory;
}

bool UsePages(void*, size_t) { return true; }

}  // namespace hindsight::recorder
