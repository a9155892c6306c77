// The process that walks a snapshot: a copy of the application at one moment, made by clone.
//
// The copy shares nothing with the application but SnapshotShared and the file. It ends no other
// way than by _exit or a signal, and runs nothing of the runtime: its handlers of faults are the
// system's, all other signals are blocked, its descriptors but the file are closed, it dumps no
// core, is the first to go when memory is short, and yields the processor to the application.
// Its exit raises no SIGCHLD (exit signal 0), so the application's own handling of children does
// not see it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "recorder/heap/object_batch.h"
#include "recorder/heap/snapshot_memory.h"

namespace hindsight::recorder {

struct SnapshotTask {
  SnapshotShared* shared = nullptr;
  ObjectBatch* batch = nullptr;
  int file = -1;
  // Has room for the frozen ranges behind its `range_count` entries; sorted by the child.
  HeapRange* ranges = nullptr;
  uint32_t range_count = 0;
  uint64_t timeout_ns = 0;  // of the child's life
};

class SnapshotChild {
 public:
  static constexpr size_t kStackBytes = 256u << 10;

  SnapshotChild() = default;
  SnapshotChild(const SnapshotChild&) = delete;
  SnapshotChild& operator=(const SnapshotChild&) = delete;
  ~SnapshotChild();

  // Maps its stack; before the pause.
  bool Prepare();
  void Release();

  // Inside the pause. `task` and what it points to stay until Reap says that it ended. Returns 0 or
  // errno.
  int Clone(SnapshotTask& task);

  bool is_running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // True once it has ended; `*status` as waitpid gives it. Does not wait.
  bool Reap(int* status);
  void Kill();
  // Bytes that only the child has, from the kernel's account; 0 if it can't be read.
  uint64_t PrivateBytes() const;

 private:
  pid_t pid_ = 0;
  void* stack_ = nullptr;
};

// The ranges of `task` and the frozen ones, in order. Once.
std::span<const HeapRange> AllRanges(SnapshotTask& task);

// What the child does; also the walk in the pause, without the conversation. True: all is written.
bool WalkAndWrite(const SnapshotTask& task, std::span<const HeapRange> ranges,
                  uint64_t deadline_ns);

}  // namespace hindsight::recorder
