// Wakes one thread of the recorder. Wake is async-signal-safe and, while a wake-up is pending,
// costs one atomic exchange. What was stored before Wake is visible after the Wait or Clear that
// ends it.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class Waker {
 public:
  bool Open();
  void Close();

  void Wake();  // any thread
  // The woken thread. False: the timeout has passed; UINT64_MAX: none.
  bool Wait(uint64_t timeout_ns);

  // For that thread, when it waits by other means: the descriptor becomes readable; Clear resets
  // it.
  int fd() const { return fd_; }
  bool Clear();

 private:
  int fd_ = -1;
  std::atomic<bool> pending_{false};
};

}  // namespace hindsight::recorder
