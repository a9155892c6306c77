// The recorder's threads inside the application: named, with all of the application's signals
// blocked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

namespace hindsight::recorder {

inline constexpr size_t kOwnThreadStackBytes = 512u << 10;

// Whether the calling thread was started by StartThread: callbacks on it are not caused by the
// application.
bool OnOwnThread();

// The system's id of the calling thread; a system call.
uint32_t CurrentThreadId();
// The id of the thread that runs the program's main function; 0: unknown.
uint32_t MainThreadId();

// Kernel ids of running threads started by StartThread; 0: a free slot.
inline std::array<std::atomic<uint32_t>, 32>& OwnThreadIds() {
  static std::array<std::atomic<uint32_t>, 32> ids = {};
  return ids;
}
inline void ReplaceOwnThreadId(uint32_t from, uint32_t to) {
  for (std::atomic<uint32_t>& id : OwnThreadIds()) {
    uint32_t expected = from;
    if (id.compare_exchange_strong(expected, to)) return;
  }
}
// The most recently ended ones; their ids may have been reused by now.
inline std::array<std::atomic<uint32_t>, 16>& EndedOwnThreadIds() {
  static std::array<std::atomic<uint32_t>, 16> ids = {};
  return ids;
}
inline void NoteOwnThreadEnded(uint32_t os_id) {
  static std::atomic<uint32_t> count{0};
  EndedOwnThreadIds()[count.fetch_add(1) % EndedOwnThreadIds().size()] = os_id;
}
inline bool WasOwnThread(uint32_t os_id) {
  for (const std::atomic<uint32_t>& id : EndedOwnThreadIds()) {
    if (id.load(std::memory_order_relaxed) == os_id) return true;
  }
  return false;
}
inline bool IsOwnThread(uint32_t os_id) {
  for (const std::atomic<uint32_t>& id : OwnThreadIds()) {
    if (id.load(std::memory_order_relaxed) == os_id) return true;
  }
  return false;
}

// Runs `body` on a new detached thread, with all signals blocked except those that managed code
// needs: faults, and the runtime's own. `name` is at most 15 characters.
bool StartThread(const char* name, std::function<void()> body);

// On a recorder's thread, for a call into the runtime that runs managed code: threads which that
// code creates inherit the signal mask, and they are the application's. During the call, it is the
// mask of the thread that started the first of ours.
void RunWithApplicationSignals(const std::function<void()>& call);

}  // namespace hindsight::recorder
