// Whatever is recorded: the call that ends the process in an orderly way, such as Environment.Exit.
//
// The runtime tells a profiler about its shutdown on the thread that ends the process
// (ICorProfilerCallback::Shutdown, from EEShutDownHelper in src/coreclr/vm/ceemain.cpp), and after
// Environment.Exit the caller is still on that thread's stack; measured on .NET 8, 9 and 10. After
// the return from Main, and after SIGTERM, no managed code is on it.
#pragma once

#include <cstdint>

#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// Tail: `frames_inline` addresses.
struct ExitCallEvent {
  EventHeader header;
  uint32_t stack;  // handle; 0: inline
  uint32_t frames_inline;
};

class ExitCalls {
 public:
  ExitCalls(Emitter& emitter, StackTable& stacks, StackWalker& walker)
      : emitter_(emitter), stacks_(stacks), walker_(walker) {}

  // In the callback; `frame_address` is that of one of our functions on the stack.
  void Exiting(uintptr_t frame_address);

 private:
  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
};

}  // namespace hindsight::recorder
