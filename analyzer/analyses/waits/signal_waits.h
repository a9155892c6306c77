// Threads that wait in your code until another thread signals: which object they wait for, and what
// is still missing. Whether the signal will come, a snapshot cannot tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct SignalWait {
  enum class For : uint8_t {
    kEvent,  // ManualResetEventSlim
    kCountdown,
    kBarrier,
    kPulse,      // Monitor.Wait
    kSemaphore,  // one that nobody holds
    kHandle,     // WaitHandle: an event or a semaphore of the operating system
    kMutex,      // whose owner is unknown: the kernel's, or that of a named one
    kThread,     // Thread.Join
    kProcess,    // that a child process exits
  };
  For what = For::kEvent;
  // The field that holds it, or its type; of a thread, its name. Empty: unknown.
  std::string object;
  uint64_t address = 0;  // of the object; 0: unknown
  std::string at;        // your method
  uint64_t threads = 0;
  bool is_main = false;     // one of them is
  std::string thread_name;  // of one of them; empty: it has none
  // kCountdown: signals; kBarrier: participants. How many are missing, of how many.
  std::optional<int64_t> missing, of;
};

// Main's come first, then those of most threads. Left out: waits for locks with an owner and for
// tasks, which the wait graph has; for an item of a BlockingCollection; workers without work; and
// threads that wait behind a deadlock.
std::vector<SignalWait> FindSignalWaits(const HeapWaits& heap);

// "Main waits for countdown Crawler.done_ in Crawler.Start: 1 of 9 signals is missing"
std::string SignalWaitText(const SignalWait& wait);

}  // namespace hindsight::analyzer
