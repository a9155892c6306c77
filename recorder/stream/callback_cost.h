// What callbacks cost the thread on which they run: CPU time, and time that it waited in them.
//
// A callback reads the monotonic clock twice (23 ns each): once for its event, once at its end.
// That is its duration, not its cost: a thread that is descheduled in a callback, or waits there
// for a page or a lock, uses no CPU meanwhile. The thread's CPU clock distinguishes the two, but
// costs a system call (300 ns): too expensive for each of a million callbacks. So:
//
// - A callback is measured, exactly, if the thread's clock was last read at least kReadEveryNs ago:
//   at most 200 reads a second, 0.006 % of a core. If callbacks are rare, that is all of them. The
//   system call that reads it is where the kernel preempts a thread whose time slice has ended.
//   That wait is not a cost of the callback, so both calls are outside the measured interval.
// - Of the others, one that took no longer than kShortNs counts as CPU time. When a thread is
//   descheduled, it is for far longer, except for an interrupt; such moments count as CPU time, so
//   the reported cost errs on the high side.
// - One that took longer reads the clock at its end. Time that the thread did not run since the
//   last read counts as waiting in the callback, up to its duration minus what a callback takes on
//   average. It may have waited elsewhere, but for no more than kReadEveryNs. And since a callback
//   that is inherently long will be long again, the one after a long callback is always measured.
//
// Not included are callbacks that only count frames (a few ns each), and what the runtime spends on
// calling any of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "recorder/base/clock.h"
#include "recorder/base/thread.h"
#include "recorder/stream/own_counter.h"

namespace hindsight::recorder {

// Per thread. Other threads may read the counters.
struct CallbackMeter {
  OwnCounter callbacks, wall_ns, cpu_ns;  // cpu_ns <= wall_ns; the rest is waiting
  OwnCounter measured;                    // callbacks measured by the thread's clock

  // Own thread only.
  uint64_t read_at_ns = 0;  // when its clock was last read, and its value
  uint64_t read_cpu_ns = 0;
  bool was_long = false;  // the last callback was long

  void Reset() {
    for (OwnCounter* counter : {&callbacks, &wall_ns, &cpu_ns, &measured}) counter->Reset();
    read_at_ns = read_cpu_ns = 0;
    was_long = false;
  }
};

// Measures from `started_ns` (monotonic) to its destructor. On recorder threads it counts nothing:
// their CPU time is reported as a whole.
class CallbackCost {
 public:
  static constexpr uint64_t kReadEveryNs = 10'000'000;
  static constexpr uint64_t kShortNs = 100'000;

  CallbackCost(CallbackMeter& meter, uint64_t started_ns)
      : meter_(meter),
        started_ns_(started_ns),
        measures_(meter.was_long || started_ns - meter.read_at_ns >= kReadEveryNs) {
    if (!measures_) return;
    cpu_started_ns_ = ThreadCpuNs();
    started_ns_ = MonotonicNs();
  }
  ~CallbackCost() {
    if (OnOwnThread()) return;
    uint64_t wall = 0, cpu = 0;
    if (measures_) {
      wall = End();
      const uint64_t now_cpu = ThreadCpuNs();
      cpu = std::min(wall, now_cpu - cpu_started_ns_);
      meter_.measured.Add(1);
      Read(now_cpu, wall);
    } else {
      wall = cpu = End();
      if (wall > kShortNs) cpu = Judge(wall);
    }
    meter_.callbacks.Add(1);
    meter_.wall_ns.Add(wall);
    meter_.cpu_ns.Add(cpu);
    meter_.was_long = wall > kShortNs;
  }
  CallbackCost(const CallbackCost&) = delete;
  CallbackCost& operator=(const CallbackCost&) = delete;

 private:
  uint64_t End() const { return MonotonicNs() - started_ns_; }
  void Read(uint64_t cpu_ns, uint64_t wall) {
    meter_.read_at_ns = started_ns_ + wall;
    meter_.read_cpu_ns = cpu_ns;
  }

  __attribute__((noinline)) uint64_t Judge(uint64_t wall) {
    const uint64_t now_cpu = ThreadCpuNs();
    const uint64_t elapsed = started_ns_ + wall - meter_.read_at_ns;
    const uint64_t ran = std::min(elapsed, now_cpu - meter_.read_cpu_ns);
    const uint64_t waited = std::min(wall, elapsed - ran);
    const uint64_t count = std::max<uint64_t>(1, meter_.callbacks.Read());
    const uint64_t average = meter_.cpu_ns.Read() / count;
    Read(now_cpu, wall);
    return std::min(wall, std::max(average, wall - waited));
  }

  CallbackMeter& meter_;
  uint64_t started_ns_;
  const bool measures_;
  uint64_t cpu_started_ns_ = 0;
};

}  // namespace hindsight::recorder
