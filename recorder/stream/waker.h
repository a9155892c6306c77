// Wakes one thread of the recorder. Wake is async-signal-safe and, while a wake-up is pending,
// costs one atomic exchange. What was stored before Wake is visible after the Wait that ends it.
//
// A futex: it has no descriptor that the application could close, or that could be missing.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class Waker {
 public:
  void Wake();  // any thread
  // The woken thread. False: the timeout has passed; UINT64_MAX: none.
  bool Wait(uint64_t timeout_ns);

 private:
  std::atomic<uint32_t> pending_{0};  // 1: Wake was called since the last Wait
};

}  // namespace hindsight::recorder
