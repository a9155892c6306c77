// What callbacks cost the thread that they run on: CPU time, and time that it waited in them.
//
// A callback reads the monotonic clock twice (23 ns each): once for its event, once at its end.
// That is its length, and not what it cost: a thread that is taken off its processor in a callback,
// or waits there for a page or a lock, has used nothing meanwhile. The clock of a thread's CPU time
// tells both apart, and costs a system call (300 ns): too dear for each of a million callbacks. So:
//
//   - A callback is measured, exactly, if the thread's clock was last read kReadEveryNs ago or
//     earlier: at most 200 reads a second, 0.006 % of a core. Where callbacks are rare, that is
//     each of them.
//   - Of the others, one that took no longer than kShortNs ran all the time. The least that a
//     thread loses its processor for is far longer, unless an interrupt borrows it; such moments
//     count as CPU time, so the cost is rather told too high.
//   - One that took longer reads the clock at its end. What the thread has not run since it was
//     last read counts as waiting in the callback, up to its length, less what a callback takes
//     on average. It may have waited elsewhere, but for no more than kReadEveryNs. And what is long
//     by nature is long again: the callback after a long one is measured, however soon it comes.
//
// Not counted are callbacks that only count frames (a few ns each), and what the runtime spends to
// make any of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "recorder/base/clock.h"
#include "recorder/base/thread.h"
#include "recorder/stream/own_counter.h"

namespace hindsight::recorder {

// Of one thread. The counters are read by any other.
struct CallbackMeter {
  OwnCounter callbacks, wall_ns, cpu_ns;  // cpu_ns <= wall_ns; the rest is waiting
  OwnCounter measured;                    // of the callbacks, by the thread's clock

  // Own thread only.
  uint64_t read_at_ns = 0;  // when its clock was last read, and what it said
  uint64_t read_cpu_ns = 0;
  bool was_long = false;  // the last callback

  void Reset() {
    for (OwnCounter* counter : {&callbacks, &wall_ns, &cpu_ns, &measured}) counter->Reset();
    read_at_ns = read_cpu_ns = 0;
    was_long = false;
  }
};

// From `started_ns` (monotonic) until the destructor. On threads of our own it counts nothing:
// their CPU time is told as a whole.
class CallbackCost {
 public:
  static constexpr uint64_t kReadEveryNs = 10'000'000;
  static constexpr uint64_t kShortNs = 100'000;

  CallbackCost(CallbackMeter& meter, uint64_t started_ns)
      : meter_(meter),
        started_ns_(started_ns),
        measures_(meter.was_long || started_ns - meter.read_at_ns >= kReadEveryNs) {
    if (measures_) cpu_started_ns_ = ThreadCpuNs();
  }
  ~CallbackCost() {
    if (OnOwnThread()) return;
    uint64_t wall = 0, cpu = 0;
    if (measures_) {
      const uint64_t now_cpu = ThreadCpuNs();
      wall = End();
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
  const uint64_t started_ns_;
  const bool measures_;
  uint64_t cpu_started_ns_ = 0;
};

}  // namespace hindsight::recorder
