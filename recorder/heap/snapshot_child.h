// The process that walks a snapshot: a copy of the application at one moment, made by clone.
//
// It shares nothing with the application except SnapshotShared and the file. It ends only by _exit
// or a signal, and runs no code of the runtime: fault handlers are reset to the default, all other
// signals are blocked, all descriptors except the file are closed, it dumps no core, it is the
// first to be killed when memory is short, and it yields the processor to the application. Its exit
// raises no SIGCHLD (exit signal 0), so the application's own handling of child processes does not
// notice it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "recorder/base/file_identity.h"
#include "recorder/heap/object_batch.h"
#include "recorder/heap/snapshot_memory.h"

namespace hindsight::recorder {

struct SnapshotTask {
  SnapshotShared* shared = nullptr;
  ObjectBatch* batch = nullptr;
  int file = -1;
  FileIdentity identity;  // of `file`
  pid_t application = 0;  // set by Clone
  // Has room for the frozen ranges after its `range_count` entries; sorted by the child.
  WalkedRange* ranges = nullptr;
  uint32_t range_count = 0;
  uint64_t timeout_ns = 0;  // maximum lifetime of the child
  bool hurries = false;     // a thread of the application is held until the child has ended
};

class SnapshotChild {
 public:
  static constexpr size_t kStackBytes = 256u << 10;

  SnapshotChild() = default;
  SnapshotChild(const SnapshotChild&) = delete;
  SnapshotChild& operator=(const SnapshotChild&) = delete;
  ~SnapshotChild();

  // False: this system does not copy processes, and Clone always fails.
  static bool CanBeMade();

  // Maps its stack; before the pause.
  bool Prepare();
  void Release();

  // Inside the pause. `task` and what it points to must stay until Reap says that the child has
  // ended. Returns 0 or errno.
  int Clone(SnapshotTask& task);

  bool is_running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // True once it has ended; `*status` as waitpid gives it. Does not wait.
  bool Reap(int* status);
  // The signal that ended it, from such a status; 0: it ended by itself.
  static int SignalThatEnded(int status);
  void Kill();
  // Memory that only the child has, according to the kernel; 0 if that cannot be read.
  uint64_t PrivateBytes() const;
  // About what the application has written to since Clone, and so the kernel has copied: its page
  // faults. Also those of new memory, so it is often less. Costs next to nothing.
  uint64_t CopiedAtMost() const;

 private:
  pid_t pid_ = 0;
  void* stack_ = nullptr;
  uint64_t faulted_bytes_ = 0;  // by the application before Clone
};

// The ranges of `task` and the frozen ones, in order. Once.
std::span<const WalkedRange> AllRanges(SnapshotTask& task);

// What the child does; also the walk during the pause, without the exchange. True: all is written.
bool WalkAndWrite(const SnapshotTask& task, std::span<const WalkedRange> ranges,
                  uint64_t deadline_ns);

}  // namespace hindsight::recorder
