// What the wait analyses know about framework classes: which are tasks and of what kind, which are
// locks, which carry continuations.
//
// Names as in System.Private.CoreLib of .NET 8, 9 and 10.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// How a task ended: of Task.TaskStateFlags, in m_stateFlags.
inline constexpr int64_t kTaskFaulted = 0x200000, kTaskCanceled = 0x400000,
                         kTaskRanToCompletion = 0x1000000;

enum class RuntimeType : uint8_t {
  kOther,
  // Tasks, the most derived first; IsTask distinguishes them from the others.
  kTask,             // Task, Task<T> themselves: a delegate that runs, or a promise
  kStateMachineBox,  // of an async method
  kWhenAll,
  kWhenAny,
  kWaitAsync,
  kDelay,
  kUnwrap,
  kSemaphoreWait,     // of SemaphoreSlim.WaitAsync
  kContinuationTask,  // of ContinueWith
  kSourceTask,        // ValueTask.AsTask of a source
  kOtherTask,         // any other class derived from Task
  // What Task.m_continuationObject refers to, apart from tasks.
  kDelegate,
  kAwaitContinuation,
  kContextContinuation,
  kSchedulerContinuation,
  kContinueWith,
  kContinuationWrapper,
  kList,
  kWaitEvent,       // of Task itself: a thread blocks on it for one task
  kCountdownEvent,  // likewise, for several
  // Sources of completion.
  kCompletionSource,
  kPooledBox,  // of an async method that returns a pooled ValueTask
  // Locks.
  kLock,
  kReaderWriterLock,
  kReaderCount,  // a thread's share of a ReaderWriterLockSlim
  kSemaphore,
  kEventSlim,
  kCountdown,
  kBarrier,
  kMutex,
  kWaitHandle,
  kSafeWaitHandle,
  kThread,
  kContext,       // derived from SynchronizationContext
  kPlainContext,  // SynchronizationContext itself, which uses the pool
  kPoolScheduler,
  kContextScheduler,
  kScheduler,
  kPool,
  kTimer,
  kBackgroundService,  // of Microsoft.Extensions.Hosting
};

constexpr bool IsTask(RuntimeType type) {
  return type >= RuntimeType::kTask && type <= RuntimeType::kOtherTask;
}

// What holds the state of an async method.
constexpr bool IsAsyncMethod(RuntimeType type) {
  return type == RuntimeType::kStateMachineBox || type == RuntimeType::kPooledBox;
}
constexpr bool IsWaitHandle(RuntimeType type) {
  return type == RuntimeType::kMutex || type == RuntimeType::kWaitHandle;
}

// Immutable. Memory: one byte per class.
class RuntimeTypes {
 public:
  explicit RuntimeTypes(const HeapModel& model);

  RuntimeType Of(ObjectId object) const { return of_class_[graph_->ClassOf(object)]; }
  RuntimeType OfClass(ClassIndex type) const { return of_class_[type]; }

 private:
  const HeapGraph* graph_;
  std::vector<RuntimeType> of_class_;
};

}  // namespace hindsight::analyzer
