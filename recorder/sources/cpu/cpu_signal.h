// The signal that CPU timers raise, and its handler. It also holds the thread that is about to end
// the process, if a rule requires that (base/thread_hold.h).
//
// It is a real-time signal that nothing else uses, so the application's own signals are unaffected:
// those that it handles, blocks or waits for. The default action of a real-time signal ends the
// process, so the handler stays installed for good, and a late or stray signal does no harm. A
// program that resets handlers of signals that are not its own would also end itself without us:
// the runtime stops threads with SIGRTMIN (INJECT_ACTIVATION_SIGNAL of the runtime's
// pal/src/exception/signal.cpp).
//
// A thread that blocks all signals would find ours among its pending ones (sigwait, signalfd,
// sigpending). Such threads get no timer; DropPending removes signals sent to a thread that began
// to block them later.
//
// The handler runs on the stack that it interrupts, except in a process that contains Go code.
// There it may interrupt a goroutine, which may have only a kilobyte of stack left; the kernel's
// frame takes up to three, and whatever is beyond the stack is overwritten. So Go requires that all
// handlers use the alternate stack (package os/signal, "Go programs that use cgo or SWIG"). It
// arranges that itself for handlers that exist when it starts; we do it once we find Go's handlers.
// The alternate stack of a .NET thread has 12 KB, of which our handler uses one. What the runtime
// has there while it handles a fault is not overwritten, because our signal is held back then
// (cpu_faults.h). In other processes we avoid alternate stacks, because we do not know how small
// they are.
//
// One recording at a time; all except Number: one recorder thread.
#pragma once

#include <signal.h>

namespace hindsight::recorder {

class CpuSignal {
 public:
  // Takes the highest unused real-time signal, or the previous one if it is still ours, and
  // installs the handler. False: all are in use; Number is 0.
  static bool Install();

  // Any thread. 0: none.
  static int Number();

  // False: the application has taken the signal over. It is the application's from then on.
  static bool IsKept();

  // Once there is Go code, the handler uses the alternate stack. Call it regularly: a library may
  // be loaded at any time. Three system calls.
  static void FitStacks();

  // Removes signals that are pending for threads which block them, and with them a few samples in
  // transit. Does nothing if the signal is no longer ours. A program that is started at this very
  // moment inherits the signal as ignored.
  static void DropPending();
};

}  // namespace hindsight::recorder
