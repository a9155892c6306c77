#include "recorder/base/condition.h"

#include <pthread.h>
#include <time.h>

#include <new>

namespace hindsight::recorder {
namespace {

pthread_cond_t* Of(std::byte* state) { return reinterpret_cast<pthread_cond_t*>(state); }

}  // namespace

Condition::Condition() {
  static_assert(sizeof(pthread_cond_t) <= sizeof(state_) && alignof(pthread_cond_t) <= 8);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(new (state_) pthread_cond_t, &attributes);
  pthread_condattr_destroy(&attributes);
}

Condition::~Condition() { pthread_cond_destroy(Of(state_)); }

void Condition::notify_all() { pthread_cond_broadcast(Of(state_)); }

void Condition::Wait(std::mutex& mutex) { pthread_cond_wait(Of(state_), mutex.native_handle()); }

bool Condition::WaitUntil(std::mutex& mutex, uint64_t end_ns) {
  constexpr uint64_t kSecond = 1'000'000'000;
  timespec at;
  at.tv_sec = static_cast<time_t>(end_ns / kSecond);
  at.tv_nsec = static_cast<long>(end_ns % kSecond);
  return pthread_cond_timedwait(Of(state_), mutex.native_handle(), &at) == 0;
}

}  // namespace hindsight::recorder
