#include <atomic>
#include <new>

#include "recorder/base/condition.h"
#include "recorder/base/sleep_windows.h"

namespace hindsight::recorder {
namespace {

// How often it was notified: a thread that has read the number under the lock misses no
// notification.
std::atomic<uint32_t>& CountOf(std::byte* state) {
  return *std::launder(reinterpret_cast<std::atomic<uint32_t>*>(state));
}

}  // namespace

Condition::Condition() { new (state_) std::atomic<uint32_t>(0); }

Condition::~Condition() = default;

void Condition::notify_all() {
  CountOf(state_).fetch_add(1);
  WakeAll(CountOf(state_));
}

void Condition::Wait(std::mutex& mutex) { WaitUntil(mutex, UINT64_MAX); }

bool Condition::WaitUntil(std::mutex& mutex, uint64_t end_ns) {
  const uint32_t seen = CountOf(state_).load();
  mutex.unlock();
  WaitWhile(CountOf(state_), seen, end_ns);
  mutex.lock();
  return MonotonicNs() < end_ns;
}

}  // namespace hindsight::recorder
