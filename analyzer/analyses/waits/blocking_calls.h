// What a thread is blocked on, by its innermost frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

struct BlockingCall {
  enum class Kind : uint8_t {
    kNone,  // it runs, or waits for what is not reported by frames (a device, native code)
    kMonitor,
    kMonitorWait,  // Monitor.Wait: for a pulse
    kLock,         // System.Threading.Lock
    kReaderWriter,
    kSemaphore,
    kTask,
    kTasks,  // Task.WaitAll, Task.WaitAny
    kEventSlim,
    kJoin,
    kWaitHandle,
    kWaitHandles,  // for one of several, or for all
    kSleep,
  };
  Kind kind = Kind::kNone;
  size_t frames = 0;     // that belong to the call: the caller is the one behind them
  bool endless = false;  // as its name and parameters prove; without, it may have a timeout
  bool writes = false;   // kReaderWriter

  // For what has an owner, or readers.
  bool is_lock() const {
    return kind == Kind::kMonitor || kind == Kind::kLock || kind == Kind::kReaderWriter;
  }
};

// Until a task is done, or one of several, or all.
inline bool IsForTask(BlockingCall::Kind kind) {
  return kind == BlockingCall::Kind::kTask || kind == BlockingCall::Kind::kTasks;
}

// Remembers what it found out about a method. One thread.
class BlockingCalls {
 public:
  // `dictionaries` outlives this.
  explicit BlockingCalls(const Dictionaries& dictionaries) : dictionaries_(&dictionaries) {}

  // `path` as Dictionaries::Path gives it.
  BlockingCall Find(std::span<const MethodId> path) const;

  // Code of the framework that waits, runs or schedules for others.
  bool IsThreading(MethodId method) const { return Of(method).is_threading; }
  // Of the first frame at or behind `from` that is not: what a programmer calls the place.
  MethodId Site(std::span<const MethodId> path, size_t from) const;
  // A thread with this frame is a worker of the pool.
  bool IsPoolWorker(MethodId method) const { return Of(method).is_pool_worker; }

  enum class Worker : uint8_t { kNone, kIdle, kAtWork };
  // Whether a thread with this stack is a worker of the pool, and has work. Somebody's code need
  // not be on its stack: the JIT compiler puts small methods into the pool's own.
  Worker WorkerOf(std::span<const MethodId> path) const;

 private:
  struct Facts {
    bool is_known = false;
    bool is_threading = false;
    bool is_pool_worker = false;
    bool dispatches = false;  // work, in a worker
    BlockingCall::Kind kind = BlockingCall::Kind::kNone;
    bool endless = false;
    bool writes = false;
  };
  const Facts& Of(MethodId method) const;
  Facts Judge(MethodId method) const;

  const Dictionaries* dictionaries_;
  mutable std::vector<Facts> facts_;  // by MethodId
};

}  // namespace hindsight::analyzer
