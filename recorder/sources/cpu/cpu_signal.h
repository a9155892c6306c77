// The signal that CPU timers raise, and its handler. It also holds the thread that is about to end
// the process, where a rule wants that (base/thread_hold.h).
//
// It is a real-time signal that nobody uses, so the application's own signals are unaffected: those
// that it handles, blocks or waits for. The default action of a real-time signal ends the process,
// so the handler stays installed for good, and a late or stray signal does no harm. A program that
// resets handlers of signals that are not its own would also end itself without us: the runtime
// stops threads with SIGRTMIN (INJECT_ACTIVATION_SIGNAL of the runtime's
// pal/src/exception/signal.cpp).
//
// A thread that blocks all signals would find ours among its pending ones (sigwait, signalfd,
// sigpending). Such threads get no timer; DropPending removes signals sent to a thread that began
// to block them later.
//
// The handler runs on the stack that it interrupts, except in a process with code in Go. There it
// may interrupt a goroutine, which has a kilobyte left at worst; the kernel's frame takes up to
// three, and whatever lies beyond is overwritten. So Go demands the alternate stack of all handlers
// (package os/signal, "Go programs that use cgo or SWIG"). It arranges that itself for those that
// it finds when it starts; we do when we find Go's handlers. The alternate stack of a thread of
// .NET has 12 KB, of which our handler takes one. What the runtime has there while it handles a
// fault is not overwritten, because our signal is held back then (cpu_faults.h). Elsewhere we keep
// off alternate stacks: we do not know how small they are.
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

  // Once there is code in Go, the handler uses the alternate stack. To be called again and again:
  // a library may be loaded at any time. Three system calls.
  static void FitStacks();

  // Removes signals that are pending for threads which block them, and with them a few samples in
  // transit. Does nothing if the signal is no longer ours. A program that is started at this very
  // moment ignores the signal.
  static void DropPending();
};

}  // namespace hindsight::recorder
