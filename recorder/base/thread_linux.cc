#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_local.h"

namespace hindsight::recorder {
namespace {

HINDSIGHT_READS_THREAD_LOCAL bool& OwnThreadFlag() {
  static thread_local bool is_own = false;
  return is_own;
}

// All signals, except those that managed code needs. The thread that listens to the runtime's
// events runs some, even handlers of the application (EventSource.EventCommandExecuted). There a
// null reference is a SIGSEGV, which the runtime turns into an exception; if it is blocked, the
// kernel ends the process instead. With the lowest real-time signal, the runtime stops managed code
// for a collection.
sigset_t SignalsOfTheApplication() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGRTMIN}) {
    sigdelset(&signals, own);
  }
  return signals;
}

// The mask with which this was called first.
const sigset_t& FirstMask(const sigset_t& mask) {
  static const sigset_t first = mask;
  return first;
}

}  // namespace

bool OnOwnThread() { return OwnThreadFlag(); }

uint32_t CurrentThreadId() { return static_cast<uint32_t>(gettid()); }

uint32_t MainThreadId() { return static_cast<uint32_t>(getpid()); }

bool StartThread(const char* name, std::function<void()> body) {
  struct Start {
    const char* name;
    std::function<void()> body;
  };
  auto start = std::make_unique<Start>(Start{name, std::move(body)});
  sigset_t all;
  sigset_t previous;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kOwnThreadStackBytes);
  pthread_sigmask(SIG_BLOCK, &all, &previous);  // a thread inherits the mask of its creator
  FirstMask(previous);
  pthread_t thread;
  const int failed = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        const sigset_t blocked = SignalsOfTheApplication();
        pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
        const std::unique_ptr<Start> own(static_cast<Start*>(argument));
        const uint32_t os_id = CurrentThreadId();
        OwnThreadFlag() = true;
        ReplaceOwnThreadId(0, os_id);
        pthread_setname_np(pthread_self(), own->name);
        own->body();
        OwnCost::Instance().Add(&OwnCost::ended_threads_ns, ThreadCpuNs());
        NoteOwnThreadEnded(os_id);
        ReplaceOwnThreadId(os_id, 0);
        return nullptr;
      },
      start.get());
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return false;
  (void)start.release();
  return true;
}

void RunWithApplicationSignals(const std::function<void()>& call) {
  sigset_t previous;
  pthread_sigmask(SIG_BLOCK, nullptr, &previous);
  pthread_sigmask(SIG_SETMASK, &FirstMask(previous), nullptr);
  call();
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

}  // namespace hindsight::recorder
