// Keeps the snapshot's thread from asking about code that has gone.
//
// The runtime does not check ids. So the thread holds this lock around every question about
// something that may be unloaded, and the callback that announces an unload waits for it. That of a
// module comes in preemptive mode and without a lock of the runtime's; that of a dynamic method in
// cooperative mode, so it waits 100 ms at most.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

class UnloadGuard {
 public:
  // Callbacks of unloads: any thread. `forget` runs under the lock.
  template <typename Forget>
  void ModuleUnloading(Forget forget) {
    unloads_.fetch_add(1);  // first: who asks from now on knows
    const std::lock_guard lock(mutex_);
    forget();
  }
  void MethodUnloading(clr::FunctionID method) {
    if (!making_.load()) return;
    const std::unique_lock lock(mutex_, std::chrono::milliseconds(kWaitMs));
    if (lock.owns_lock() && methods_.size() < kMaxMethods) {
      methods_.insert(method);
    } else {
      methods_lost_ = true;
    }
  }

  // The snapshot's thread.
  void StartSnapshot() {
    const std::lock_guard lock(mutex_);
    unloads_at_start_ = unloads_.load();
    methods_.clear();
    methods_lost_ = false;
    making_ = true;
  }
  void EndSnapshot() { making_ = false; }
  // Since StartSnapshot; under the lock.
  bool NothingUnloaded() const { return unloads_.load() == unloads_at_start_; }
  bool IsLoaded(clr::FunctionID method) const {
    return NothingUnloaded() && !methods_lost_ && !methods_.contains(method);
  }
  std::timed_mutex& mutex() { return mutex_; }

 private:
  static constexpr int kWaitMs = 100;
  static constexpr size_t kMaxMethods = 16u << 10;

  std::timed_mutex mutex_;
  std::atomic<uint64_t> unloads_{0};  // of modules
  uint64_t unloads_at_start_ = 0;
  std::atomic<bool> making_{false};
  std::unordered_set<clr::FunctionID> methods_;  // dynamic ones, gone
  std::atomic<bool> methods_lost_{false};
};

}  // namespace hindsight::recorder
