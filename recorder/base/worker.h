// A thread of the recorder that works until it is asked to end, and whose end others can wait for.
//
// How it is asked to end is up to the owner. Any thread may call any of this.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "recorder/base/condition.h"
#include "recorder/base/thread.h"

namespace hindsight::recorder {

class Worker {
 public:
  // `owner` keeps this and what `work` uses alive until the thread has ended. Once. False: the
  // thread could not be started.
  bool Start(const char* name, std::shared_ptr<void> owner, std::function<void()> work) {
    running_ = true;
    const bool started =
        StartThread(name, [this, owner = std::move(owner), work = std::move(work)] {
          work();
          Ended();
        });
    if (!started) running_ = false;
    return started;
  }

  // From Start until the work has returned.
  bool running() const { return running_; }

  // False: the work has not returned within `timeout_ns`. True at once if it was never started.
  bool WaitForEnd(uint64_t timeout_ns) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return !running_; });
  }

 private:
  void Ended() {
    const std::lock_guard lock(mutex_);
    running_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  Condition changed_;
  std::atomic<bool> running_{false};
};

}  // namespace hindsight::recorder
