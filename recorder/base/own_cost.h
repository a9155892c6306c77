// What the recorder costs the process outside of callbacks and signal handlers. Totals since the
// library was loaded: a recording subtracts the values at its start. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

struct OwnCost {
  // The application was paused on our request: for snapshots, and for collections that prepare
  // them.
  std::atomic<uint64_t> pauses{0};
  std::atomic<uint64_t> paused_ns{0};
  std::atomic<uint64_t> ended_threads_ns{0};  // CPU time of those of our threads that have ended
  std::atomic<uint64_t> children_ns{0};       // CPU time of the processes that walked heaps

  static OwnCost& Instance() {
    static OwnCost cost;
    return cost;
  }
  void Paused(uint64_t ns) {
    Add(&OwnCost::pauses, 1);
    Add(&OwnCost::paused_ns, ns);
  }
  void Add(std::atomic<uint64_t> OwnCost::*sum, uint64_t ns) {
    (this->*sum).fetch_add(ns, std::memory_order_relaxed);
  }
};

}  // namespace hindsight::recorder
