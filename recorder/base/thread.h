// The recorder's threads inside the application: named, with all signals blocked.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "recorder/base/clock.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/thread_local.h"

namespace hindsight::recorder {

inline constexpr size_t kOwnThreadStackBytes = 512u << 10;

// Whether the calling thread was started by StartThread: callbacks on it are not caused by the
// application.
HINDSIGHT_READS_THREAD_LOCAL inline bool& OwnThreadFlag() {
  static thread_local bool is_own = false;
  return is_own;
}
inline bool OnOwnThread() { return OwnThreadFlag(); }

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

// Runs `body` on a new detached thread with all signals blocked. `name` is at most 15 characters.
inline bool StartThread(const char* name, std::function<void()> body) {
  struct Start {
    const char* name;
    std::function<void()> body;
  };
  auto start = std::make_unique<Start>(Start{name, std::move(body)});
  sigset_t all;
  sigset_t previous;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kOwnThreadStackBytes);
  pthread_sigmask(SIG_BLOCK, &all, &previous);  // a thread inherits the mask of its creator
  pthread_t thread;
  const int failed = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        const std::unique_ptr<Start> own(static_cast<Start*>(argument));
        const auto os_id = static_cast<uint32_t>(gettid());
        OwnThreadFlag() = true;
        ReplaceOwnThreadId(0, os_id);
        pthread_setname_np(pthread_self(), own->name);
        own->body();
        OwnCost::Instance().Add(&OwnCost::ended_threads_ns, ThreadCpuNs());
        NoteOwnThreadEnded(os_id);
        ReplaceOwnThreadId(os_id, 0);
        return nullptr;
      },
      start.get());
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return false;
  (void)start.release();
  return true;
}

}  // namespace hindsight::recorder
