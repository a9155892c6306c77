// What the wait analyses know about framework classes: which is a task and of what sort, which is a
// lock, which carries a continuation.
//
// Names as in System.Private.CoreLib of .NET 8, 9 and 10.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

enum class RuntimeType : uint8_t {
  kOther,
  // Tasks, the most derived first: IsTask tells them from the rest.
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
  // What stands in Task.m_continuationObject beside tasks.
  kDelegate,
  kAwaitContinuation,
  kContextContinuation,
  kSchedulerContinuation,
  kContinueWith,
  kContinuationWrapper,
  kList,
  kWaitEvent,       // Task's own, on which a thread blocks for one task
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
};

constexpr bool IsTask(RuntimeType type) {
  return type >= RuntimeType::kTask && type <= RuntimeType::kOtherTask;
}

// What an async method keeps its state in.
constexpr bool IsAsyncMethod(RuntimeType type) {
  return type == RuntimeType::kStateMachineBox || type == RuntimeType::kPooledBox;
}
constexpr bool IsWaitHandle(RuntimeType type) {
  return type == RuntimeType::kMutex || type == RuntimeType::kWaitHandle;
}

// Immutable. Memory: a byte a class.
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
