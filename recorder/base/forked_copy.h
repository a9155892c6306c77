// Whether this process is a copy of the recorded one, made by fork, that runs no other program yet.
//
// A copy has none of the recorder's threads: its rings would never be emptied, its waits would end
// by timeouts, and a lock that one of those threads held would never be released. The descriptors
// are shared with the recorded process, so what it wrote or answered would be there as well. So in
// a copy the recorder does nothing at all.
//
// The kernel gives a copy zeros in place of a page marked so (MADV_WIPEONFORK, Linux 4.14). No
// handler has to run in the copy, so it also holds for a bare clone. With an older kernel, and with
// those that only imitate one, no copy is recognized.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace hindsight::recorder {

class ForkedCopy {
 public:
  // Once a process, early. Never undone.
  static void Watch() {
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

  // Any thread; async-signal-safe; two loads.
  static bool Is() {
    const std::atomic<uint32_t>* mark = Mark().load(std::memory_order_relaxed);
    return mark != nullptr && mark->load(std::memory_order_relaxed) == 0;
  }

 private:
  static std::atomic<const std::atomic<uint32_t>*>& Mark() {
    static std::atomic<const std::atomic<uint32_t>*> mark{nullptr};
    return mark;
  }
};

}  // namespace hindsight::recorder
