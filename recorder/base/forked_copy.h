// Whether this process is a forked copy of the recorded one that has not called exec yet.
//
// A copy has none of the recorder's threads: its rings would never be emptied, its waits would only
// end by timeout, and a lock held by one of those threads would never be released. Descriptors are
// shared with the recorded process, so anything that the copy wrote or answered would end up there.
// So the recorder does nothing at all in a copy.
//
// In a copy, the kernel replaces a page marked with MADV_WIPEONFORK (Linux 4.14) by zeros. No
// handler has to run in the copy, so this also works for a bare clone. On older kernels, and on
// those that only emulate Linux, copies are not recognized.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class ForkedCopy {
 public:
  // Once per process, early. Never undone.
  static void Watch();

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
