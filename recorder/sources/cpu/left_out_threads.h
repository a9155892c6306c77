// The threads that the source `cpu` does not sample, and the CPU time that is missing for it: those
// that block the sampling signal, and those whose stacks have no room for its handler. One thread:
// the sampler's.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "recorder/base/stack_bounds.h"
#include "recorder/base/thread_run.h"

namespace hindsight::recorder {

struct LeftOutThread {
  uint64_t scan = 0;    // the scan that saw it last
  uint64_t met_ns = 0;  // when the first one saw it
  uint64_t cpu_ns = 0;  // of the thread, at the last check
  SignalLook look;
  bool has_small_stack = false;
  bool is_announced = false;  // by the runtime, but it could have no timer yet
  bool is_known = false;      // known to be left out; if false, that will show soon
  // It blocks no other real-time signal, and not because it has just faulted.
  bool is_alone_for_long = false;
  bool is_counted = false;
};

class LeftOutThreads {
 public:
  // Unsampled CPU time below this is not worth a note.
  static constexpr uint64_t kReportedNs = 10'000'000;

  // A stack that may be too small for the handler.
  static bool IsSmall(const StackBounds& stack);

  // As a thread that may have to be left out.
  LeftOutThread& Of(uint32_t os_id) { return threads_[os_id]; }
  void Forget(uint32_t os_id) { threads_.erase(os_id); }
  void ForgetAll() { threads_.clear(); }
  // Threads that ended before this scan.
  void ForgetUnseen(uint64_t scan);

  // Adds the CPU time since the last check. False: there was none, it has just become known.
  bool Count(uint32_t os_id, uint64_t scan);
  // As a thread whose stack is known to be no obstacle.
  void AddAnnounced(uint32_t os_id, uint64_t scan);
  // Counts from now on what a thread with a small stack uses.
  void AddSmall(uint32_t os_id, uint64_t scan);
  // Adds what all of them have used since the last check.
  void CountAll(uint64_t scan);

  uint64_t cpu_ns() const { return cpu_ns_; }
  // For the recording: how much is missing, and why.
  std::string Note() const;

 private:
  std::unordered_map<uint32_t, LeftOutThread> threads_;  // by the system's id
  uint64_t cpu_ns_ = 0;
  uint64_t counted_threads_ = 0;
};

}  // namespace hindsight::recorder
