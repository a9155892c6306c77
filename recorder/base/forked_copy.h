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

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class ForkedCopy {
 public:
  // Once a process, early. Never undone.
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
