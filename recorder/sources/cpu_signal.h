// The signal that CPU timers raise, and its handler.
//
// It is a real-time signal that nobody uses, so the application's own signals stay as they are:
// what it handles, blocks or waits for is no business of ours, and nobody else handles ours. The
// default action of such a signal ends the process. So the handler stays once it is there, and a
// signal that is late or strays ends nobody. A program that resets the handlers of signals which
// are not its own would end itself without us, too: the runtime stops threads with SIGRTMIN
// (INJECT_ACTIVATION_SIGNAL of the runtime's pal/src/exception/signal.cpp).
//
// A thread that blocks all signals would find ours among those that wait for it (sigwait, signalfd,
// sigpending). Who sets up timers leaves such threads out; DropPending takes back what a thread has
// been sent that began to block it afterwards.
//
// Our handler does not ask for the alternate stack: while the runtime treats a fault it works on
// the thread's own stack and still needs what lies on the alternate one, which a signal would
// overwrite.
//
// One recording at a time; all but Number: one thread of ours.
#pragma once

#include <signal.h>

namespace hindsight::recorder {

class CpuSignal {
 public:
  // Takes the highest real-time signal that nobody uses, the one it had before if that is still
  // ours, and puts the handler there. False: every one is taken; Number is 0.
  static bool Install();

  // Any thread. 0: none.
  static int Number();

  // False: the application has taken the signal. It is the application's from then on.
  static bool IsKept();

  // Takes back those that wait for a thread which blocks them, and a few samples that are on their
  // way. Nothing if the signal is not ours any more. A program that is started at this very moment
  // ignores the signal.
  static void DropPending();
};

}  // namespace hindsight::recorder
