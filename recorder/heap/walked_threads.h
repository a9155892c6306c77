// The threads of a snapshot, with their stacks as walked right before the collection.
//
// The walk and the copy of the process are not at the same moment, so a stack is used only if its
// thread did not run in between, which its CPU time shows. That is true of any thread that hangs.
// The snapshot's thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/heap/thread_memory.h"
#include "recorder/stack/thread_snapshot_taker.h"

namespace hindsight::recorder {

struct WalkedThread {
  clr::ThreadID clr_thread = 0;
  uint32_t os_id = 0;
  ThreadRun run;  // before the walk
  size_t first_frame = 0, frame_count = 0;
  uint64_t stack_pointer = 0;  // as ScannedThread
  bool stood_still = false;    // did not run until after the copy
};

class WalkedThreads {
 public:
  void Clear();
  // After the walk, before the pause. Costs about 5 us per thread.
  void Take(const ThreadSnapshotTaker& walked);
  // Before the pause: writes the recorder's half of `memory`. Its threads are in the order of
  // threads().
  void Plan(ThreadMemory& memory) const;
  // As soon as the threads run again.
  void FindWhoRan();

  std::span<const WalkedThread> threads() const { return threads_; }  // sorted by os_id
  // Return addresses, innermost first.
  std::span<const uintptr_t> frames(const WalkedThread& thread) const {
    return std::span(frames_).subspan(thread.first_frame, thread.frame_count);
  }

 private:
  std::vector<WalkedThread> threads_;
  std::vector<uintptr_t> frames_;
  std::vector<uint64_t> pointers_;  // stack pointers, parallel to frames_
};

}  // namespace hindsight::recorder
