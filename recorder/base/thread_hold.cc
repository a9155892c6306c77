#include "recorder/base/thread_hold.h"

#include "recorder/base/clock.h"

namespace hindsight::recorder {

ThreadHold& ThreadHold::Instance() {
  static constinit ThreadHold instance;
  return instance;
}

void ThreadHold::Begin(uint32_t os_id, uint64_t until_ns) {
  os_id_.store(os_id, std::memory_order_relaxed);
  until_ns_.store(until_ns, std::memory_order_relaxed);
  needs_nothing_.store(false, std::memory_order_relaxed);
  phase_.store(Phase::kUntilPause, std::memory_order_release);
  Send();
}

void ThreadHold::Renew() {
  const bool is_wanted = phase_.load(std::memory_order_acquire) != Phase::kNone;
  if (is_wanted && !waits_.load() && !IsInTheWay()) Send();
}

void ThreadHold::SuspensionBegins() {
  suspending_since_ns_.store(MonotonicNs(), std::memory_order_release);
}

bool ThreadHold::IsInTheWay() const {
  const uint64_t since_ns = suspending_since_ns_.load(std::memory_order_acquire);
  return since_ns != 0 && MonotonicNs() - since_ns >= kMaxSuspendingNs;
}

void ThreadHold::HoldAgain() {
  Phase first = Phase::kUntilPause;
  // A thread that already waits keeps waiting: with a second signal pending behind the first, it
  // would not make progress during a brief release.
  if (phase_.compare_exchange_strong(first, Phase::kUntilRelease) && !waits_.load()) Send();
}

}  // namespace hindsight::recorder
