// Faults of managed code, and the signal of the CPU timers.
//
// The runtime makes a NullReferenceException of a fault (SIGSEGV). Its handler begins on the
// thread's alternate stack: three pages, most of which the kernel's frame and two copies of the
// registers take. A second signal there ends the process: the kernel finds no room for its frame
// (with AVX-512), or the second handler runs off the stack. So our signal is held back while a
// handler of faults runs there, by the mask of that handler's action. The runtime does the same
// with its own signal, for the same reason (handle_signal of its pal/src/exception/signal.cpp).
//
// The handler soon continues on the thread's own stack and throws from there, so it never returns,
// and nobody gives the thread its mask back: the runtime lets in its own signal by hand. We let in
// ours when the exception is announced, on the thread that throws it.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "recorder/clr/info.h"

namespace hindsight::recorder {

class CpuFaults {
 public:
  explicit CpuFaults(clr::ICorProfilerInfo10* info) : info_(info) {}

  // The thread that samples. From now on `signal`, and none of earlier calls, is held back; 0:
  // none. A microsecond if nothing is to be done: to be called again and again, since the
  // application may install a handler of its own over the runtime's.
  static void HoldBack(int signal);

  // In the callback ExceptionThrown, on the thread that throws. True: the exception surely comes
  // from a fault. False: it does not, or nothing is held back on this thread.
  bool Thrown(clr::ObjectID exception);

 private:
  bool MayComeFromFault(clr::ClassID type);
  // Nothing: the runtime does not say.
  std::optional<bool> IsNullReference(clr::ClassID type) const;

  clr::ICorProfilerInfo10* info_;
  std::atomic<clr::ClassID> null_reference_{0};
  // Types that are something else, each in the place that its id leads to. They need not be
  // forgotten when they are unloaded: the id of NullReferenceException is never used again.
  std::array<std::atomic<clr::ClassID>, 1024> others_{};
};

}  // namespace hindsight::recorder
