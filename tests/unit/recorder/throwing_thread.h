// A thread of the application that throws and catches, as the runtime reports it: from a method
// called by the outermost one, which handles it. So each search reaches its end before the handler
// is found, and a throw that is only counted offers its last words for a moment.
#pragma once

#include <cstdint>

#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/sources/gc/gc.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {

class ThrowingThread {
 public:
  // On the thread itself.
  ThrowingThread(Emitter& emitter, StackTable& stacks, const Gc& gc,
                 const contract::Options& options)
      : walker_(runtime_.info()),
        exceptions_(runtime_.info(), options, emitter, stacks, walker_, gc.collections()) {
    // Addresses of unknown code; the frames are in stack_.
    runtime_.own_frames = {{kThrows, 0x1000, Place(8)}, {kCatches, 0x2000, Place(16)}};
  }

  // `offered_ns`: from the end of the search until the handler is found.
  void ThrowAndCatch(uint64_t offered_ns) {
    exceptions_.Notified(kObject, false, Place(0), 0);
    exceptions_.SearchFunctionEnter();
    exceptions_.SearchFunctionEnter();
    for (const uint64_t now_ns = MonotonicNs(); MonotonicNs() - now_ns < offered_ns;) {
    }
    exceptions_.SearchCatcherFound(kCatches);
    exceptions_.UnwindFunctionEnter();
    exceptions_.UnwindFunctionEnter();
    exceptions_.CatcherEnter(kCatches);
    exceptions_.CatcherLeave();
  }

 private:
  static constexpr clr::FunctionID kThrows = 7, kCatches = 8;
  static constexpr clr::ObjectID kObject = 0x5000;
  uintptr_t Place(size_t word) const { return reinterpret_cast<uintptr_t>(stack_ + word); }

  uintptr_t stack_[32] = {};
  FakeRuntime runtime_;
  StackWalker walker_;
  Exceptions exceptions_;
};

}  // namespace hindsight::recorder
