// Faults in managed code, and the signal of the CPU timers.
//
// The runtime turns a fault (SIGSEGV) into a NullReferenceException. Its handler begins on the
// thread's alternate stack: three pages, most of which are taken by the kernel's frame and two
// copies of the registers. A second signal there ends the process: either the kernel finds no room
// for its frame (with AVX-512), or the second handler overruns the stack. So the recorder's signal
// is blocked while a fault handler runs there, by the mask in that handler's action. The runtime
// does the same with its own signal, for the same reason (handle_signal in its
// pal/src/exception/signal.cpp).
//
// The handler soon continues on the thread's own stack and throws from there, so it never returns,
// and the kernel does not restore the thread's mask: the runtime unblocks its own signal
// explicitly. The recorder unblocks its signal when the exception is announced, on the thread that
// throws it.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "recorder/clr/info.h"
#include "recorder/names/metadata_opener.h"

namespace hindsight::recorder {

class CpuFaults {
 public:
  // Takes the loader's lock.
  explicit CpuFaults(clr::ICorProfilerInfo10* info) : info_(info), metadata_(info) {}

  // On the sampling thread. From now on `signal` is blocked in fault handlers, and no signal of
  // earlier calls; 0: none. Takes a microsecond if nothing has changed. Call it regularly, because
  // the application may replace the runtime's handler by its own.
  static void HoldBack(int signal);

  // In the callback ExceptionThrown, on the thread that throws. True: the exception certainly comes
  // from a fault. False: it does not, or no signal is blocked on this thread.
  bool Thrown(clr::ObjectID exception);

 private:
  bool MayComeFromFault(clr::ClassID type);
  // Empty: the runtime has no answer.
  std::optional<bool> IsNullReference(clr::ClassID type) const;

  clr::ICorProfilerInfo10* info_;
  const MetadataOpener metadata_;
  std::atomic<clr::ClassID> null_reference_{0};
  // Other types, each in the slot that its id hashes to. They need not be removed when they are
  // unloaded: the id of NullReferenceException is never reused.
  std::array<std::atomic<clr::ClassID>, 1024> others_{};
};

}  // namespace hindsight::recorder
