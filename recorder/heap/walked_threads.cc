#include "recorder/heap/walked_threads.h"

#include <algorithm>

#include "recorder/base/runtime_library.h"

namespace hindsight::recorder {

void WalkedThreads::Clear() {
  threads_.clear();
  frames_.clear();
  pointers_.clear();
}

void WalkedThreads::Take(const ThreadSnapshotTaker& walked) {
  Clear();
  for (const SnapshotThread& thread : walked.threads()) {
    if (threads_.size() == kMaxScannedThreads) break;
    WalkedThread& taken = threads_.emplace_back();
    taken.clr_thread = thread.clr_thread;
    taken.os_id = thread.os_id;
    taken.run = thread.run;
    taken.first_frame = frames_.size();
    taken.frame_count = thread.frame_count;
    for (const SnapshotFrame& frame : walked.frames(thread)) {
      frames_.push_back(frame.ip);
      pointers_.push_back(frame.sp);
    }
    const bool sleeps =
        thread.run.state == RunState::kSleeping || thread.run.state == RunState::kBlocked;
    if (sleeps && thread.frame_count != 0) taken.stack_pointer = StackPointerOfThread(thread.os_id);
  }
  std::sort(threads_.begin(), threads_.end(),
            [](const WalkedThread& a, const WalkedThread& b) { return a.os_id < b.os_id; });
}

void WalkedThreads::Plan(ThreadMemory& memory) const {
  memory.thread_count = 0;
  memory.runtime_range_count = 0;
  for (const std::span<const uint32_t> data : RuntimeData()) {
    if (memory.runtime_range_count == kMaxRuntimeRanges) break;
    const auto start = (reinterpret_cast<uint64_t>(data.data()) + 7) & ~uint64_t{7};
    const auto end = reinterpret_cast<uint64_t>(data.data() + data.size());
    if (start < end) memory.runtime_ranges[memory.runtime_range_count++] = {start, end - start};
  }
  uint32_t used = 0;
  for (const WalkedThread& thread : threads_) {
    ScannedThread& planned = memory.threads[memory.thread_count++];
    planned = {};
    planned.clr_thread = thread.clr_thread;
    planned.os_id = thread.os_id;
    planned.stack_pointer = thread.stack_pointer;
    planned.first_pointer = used;
    // Callers are further down the stack; a frame without a stack pointer ends the list.
    uint64_t above = 0;
    for (size_t i = 0; i < thread.frame_count && used < kMaxStackPointers; ++i) {
      const uint64_t pointer = pointers_[thread.first_frame + i];
      if (pointer <= above) break;
      memory.stack_pointers[used++] = above = pointer;
    }
    planned.pointer_count = used - planned.first_pointer;
  }
}

void WalkedThreads::FindWhoRan() {
  for (WalkedThread& thread : threads_) {
    thread.stood_still = thread.run.cpu_ns != 0 && CpuNsOfThread(thread.os_id) == thread.run.cpu_ns;
  }
}

}  // namespace hindsight::recorder
