#include "recorder/base/forked_copy.h"

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace hindsight::recorder {

void ForkedCopy::Watch() {
#ifdef MADV_WIPEONFORK
  constexpr int kWipe = MADV_WIPEONFORK;
#else
  constexpr int kWipe = 18;
#endif
  constexpr size_t kBytes = 4096;
  if (Mark().load() != nullptr) return;
  void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, kBytes, kWipe) != 0) {
    munmap(page, kBytes);
    return;
  }
  auto* mark = new (page) std::atomic<uint32_t>(1);
  const std::atomic<uint32_t>* none = nullptr;
  if (!Mark().compare_exchange_strong(none, mark)) munmap(page, kBytes);
}

}  // namespace hindsight::recorder
