// The signal that CPU timers raise: its handler, and what else the application uses it for.
//
// It is SIGURG, because its default action is to be ignored: one that comes late, or strays, can
// never end the process. Our handler takes what a timer of ours raised, and hands everything else
// to the handler that was there before.
//
// Our handler does not ask for the alternate stack: while the runtime treats a fault it works on
// the thread's own stack and still needs what lies on the alternate one, which a signal would
// overwrite. Handlers that insist on the alternate stack (SA_ONSTACK; Go's is one) can therefore
// not be called by ours, so none of them is covered by it.
//
// One recording at a time, one thread of ours. The state is the process's: what the application
// installed over our handler may go on calling it for ever.
#pragma once

#include <signal.h>

namespace hindsight::recorder {

inline constexpr int kCpuSignal = SIGURG;

class CpuSignal {
 public:
  // False: the application's handler has to stay where it is.
  static bool Install();

  // When the application has installed a handler over ours: puts ours on top of that, so that
  // samples go on. False, as long as that is not possible.
  static bool KeepOnTop();

  // Leaves the signal to the application's handler, unless there is another one over ours: that one
  // may call ours, which from now on only hands on.
  static void Restore();
};

}  // namespace hindsight::recorder
