// Wakes a thread that waits in poll.
//
// On Linux a pipe: unlike an eventfd it can be distinguished from the application's own files
// (file_identity.h). Where a thread waits for nothing else, Waker does without a descriptor.
#pragma once

#include <mutex>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

class Bell {
 public:
  bool Open();
  void Close();

  // Any thread, not in a signal handler. What was stored before is visible after Clear.
  void Ring();

  // Waiting thread. Returns the descriptor to poll, which becomes readable; Clear empties it. If
  // the application has closed it, a new one is made; -1: there is none, and the thread is not
  // woken.
  int Keep();
  void Clear();

 private:
  // The system-specific part, called with the mutex held; Set and Reset only if the descriptors are
  // ours.
  bool Make();
  bool IsOurs() const;
  void Set();
  void Reset();

  std::mutex mutex_;
  Descriptor read_, write_;  // if one is enough, the first
  bool is_rung_ = false;
};

}  // namespace hindsight::recorder
