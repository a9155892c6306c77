// What a thread is blocked on, according to its innermost frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

struct BlockingCall {
  enum class Kind : uint8_t {
    kNone,  // it runs, or waits for something that frames do not show (a device, native code)
    kMonitor,
    kMonitorWait,  // Monitor.Wait: for a pulse
    kLock,         // System.Threading.Lock
    kReaderWriter,
    kClassInit,  // for the thread that runs a class constructor; known from .NET 10
    kSemaphore,
    kTask,
    kTasks,  // Task.WaitAll, Task.WaitAny
    kEventSlim,
    kJoin,
    kCallback,  // CancellationTokenRegistration.Dispose: for a callback to end
    kWaitHandle,
    kWaitHandles,  // for any of several, or for all
    kSleep,
  };
  Kind kind = Kind::kNone;
  size_t frames = 0;       // that belong to the call: the next one is the caller
  bool endless = false;    // proved by its name and parameters; otherwise, it may have a timeout
  bool writes = false;     // kReaderWriter
  bool times_out = false;  // its name says so: nobody calls that without a timeout

  bool is_lock() const;
};

// Waits for something with an owner, or with readers.
inline bool IsLock(BlockingCall::Kind kind) {
  using Kind = BlockingCall::Kind;
  return kind == Kind::kMonitor || kind == Kind::kLock || kind == Kind::kReaderWriter ||
         kind == Kind::kClassInit;
}
inline bool BlockingCall::is_lock() const { return IsLock(kind); }

// Waits for a task, one of several, or all.
inline bool IsForTask(BlockingCall::Kind kind) {
  return kind == BlockingCall::Kind::kTask || kind == BlockingCall::Kind::kTasks;
}

// What a wait's event tells of the call, whose frames the JIT compiler may have put into its
// caller.
BlockingCall::Kind KindOf(WaitKind kind);

// Caches what it finds out about methods. Not thread-safe.
class BlockingCalls {
 public:
  // `dictionaries` must outlive this.
  explicit BlockingCalls(const Dictionaries& dictionaries) : dictionaries_(&dictionaries) {}

  // `path` as returned by Dictionaries::Path.
  BlockingCall Find(std::span<const MethodId> path) const;

  // Framework code that waits, runs or schedules for others.
  bool IsThreading(MethodId method) const { return Of(method).is_threading; }
  // The first frame at or after `from` that is not such code: what a programmer would name as the
  // place.
  MethodId Site(std::span<const MethodId> path, size_t from) const;
  // A thread with this frame is a pool worker.
  bool IsPoolWorker(MethodId method) const { return Of(method).is_pool_worker; }
  bool IsOnPoolWorker(std::span<const MethodId> path) const {
    return std::ranges::any_of(path, [this](MethodId method) { return IsPoolWorker(method); });
  }

  // What a BlockingCollection makes `call`, found in `path`, wait for: an item in Take, room in
  // Add.
  enum class Collection : uint8_t { kNone, kItem, kRoom };
  Collection CollectionOf(std::span<const MethodId> path, const BlockingCall& call) const;

  enum class Worker : uint8_t { kNone, kIdle, kAtWork };
  // Whether a thread with this stack is a pool worker, and whether it has work. The work's own code
  // need not be on the stack: the JIT inlines small methods into the pool's.
  Worker WorkerOf(std::span<const MethodId> path) const;

 private:
  struct Facts {
    bool is_known = false;
    bool is_threading = false;
    bool is_pool_worker = false;
    bool dispatches = false;  // runs work items in a worker
    BlockingCall::Kind kind = BlockingCall::Kind::kNone;
    bool endless = false;
    bool writes = false;
    bool times_out = false;
  };
  const Facts& Of(MethodId method) const;
  Facts Judge(MethodId method) const;

  const Dictionaries* dictionaries_;
  mutable std::vector<Facts> facts_;  // indexed by MethodId
};

}  // namespace hindsight::analyzer
