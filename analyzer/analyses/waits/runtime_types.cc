#include "analyzer/analyses/waits/runtime_types.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hindsight::analyzer {
namespace {

struct Entry {
  std::string_view name;
  RuntimeType type = RuntimeType::kOther;
};

// For a class and those derived from it, except those with an entry of their own.
constexpr Entry kEntries[] = {
    {"System.Threading.Tasks.Task", RuntimeType::kTask},
    {"System.Threading.Tasks.Task`1", RuntimeType::kTask},
    {"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1",
     RuntimeType::kStateMachineBox},
    {"System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox",
     RuntimeType::kPooledBox},
    {"System.Threading.Tasks.Task+WhenAllPromise", RuntimeType::kWhenAll},
    {"System.Threading.Tasks.Task+WhenAllPromise`1", RuntimeType::kWhenAll},
    {"System.Threading.Tasks.Task+TwoTaskWhenAnyPromise`1", RuntimeType::kWhenAny},
    {"System.Threading.Tasks.TaskFactory+CompleteOnInvokePromise`1", RuntimeType::kWhenAny},
    {"System.Threading.Tasks.TaskFactory+CompleteOnCountdownPromise", RuntimeType::kWhenAll},
    {"System.Threading.Tasks.TaskFactory+CompleteOnCountdownPromise`1", RuntimeType::kWhenAll},
    {"System.Threading.Tasks.Task+CancellationPromise`1", RuntimeType::kWaitAsync},
    {"System.Threading.Tasks.Task+DelayPromise", RuntimeType::kDelay},
    {"System.Threading.Tasks.UnwrapPromise`1", RuntimeType::kUnwrap},
    {"System.Threading.SemaphoreSlim+TaskNode", RuntimeType::kSemaphoreWait},
    {"System.Threading.Tasks.ContinuationTaskFromTask", RuntimeType::kContinuationTask},
    {"System.Threading.Tasks.ContinuationResultTaskFromTask`1", RuntimeType::kContinuationTask},
    {"System.Threading.Tasks.ContinuationTaskFromResultTask`1", RuntimeType::kContinuationTask},
    {"System.Threading.Tasks.ContinuationResultTaskFromResultTask`2",
     RuntimeType::kContinuationTask},
    {"System.Threading.Tasks.ValueTask+ValueTaskSourceAsTask", RuntimeType::kSourceTask},
    {"System.Threading.Tasks.ValueTask`1+ValueTaskSourceAsTask", RuntimeType::kSourceTask},
    {"System.Delegate", RuntimeType::kDelegate},
    {"System.Threading.Tasks.AwaitTaskContinuation", RuntimeType::kAwaitContinuation},
    {"System.Threading.Tasks.SynchronizationContextAwaitTaskContinuation",
     RuntimeType::kContextContinuation},
    {"System.Threading.Tasks.TaskSchedulerAwaitTaskContinuation",
     RuntimeType::kSchedulerContinuation},
    {"System.Threading.Tasks.ContinueWithTaskContinuation", RuntimeType::kContinueWith},
    {"System.Runtime.CompilerServices.AsyncMethodBuilderCore+ContinuationWrapper",
     RuntimeType::kContinuationWrapper},
    {"System.Collections.Generic.List`1", RuntimeType::kList},
    {"System.Threading.Tasks.Task+SetOnInvokeMres", RuntimeType::kWaitEvent},
    {"System.Threading.Tasks.Task+SetOnCountdownMres", RuntimeType::kCountdownEvent},
    {"System.Threading.Tasks.TaskCompletionSource", RuntimeType::kCompletionSource},
    {"System.Threading.Tasks.TaskCompletionSource`1", RuntimeType::kCompletionSource},
    {"Microsoft.Extensions.Hosting.BackgroundService", RuntimeType::kBackgroundService},
    {"System.Threading.Lock", RuntimeType::kLock},
    {"System.Threading.ReaderWriterLockSlim", RuntimeType::kReaderWriterLock},
    {"System.Threading.ReaderWriterCount", RuntimeType::kReaderCount},
    {"System.Threading.SemaphoreSlim", RuntimeType::kSemaphore},
    {"System.Threading.ManualResetEventSlim", RuntimeType::kEventSlim},
    {"System.Threading.CountdownEvent", RuntimeType::kCountdown},
    {"System.Threading.Barrier", RuntimeType::kBarrier},
    {"System.Threading.Mutex", RuntimeType::kMutex},
    {"System.Threading.WaitHandle", RuntimeType::kWaitHandle},
    {"Microsoft.Win32.SafeHandles.SafeWaitHandle", RuntimeType::kSafeWaitHandle},
    {"System.Threading.Thread", RuntimeType::kThread},
    {"System.Threading.SynchronizationContext", RuntimeType::kContext},
    {"System.Threading.Tasks.ThreadPoolTaskScheduler", RuntimeType::kPoolScheduler},
    {"System.Threading.Tasks.SynchronizationContextTaskScheduler", RuntimeType::kContextScheduler},
    {"System.Threading.Tasks.TaskScheduler", RuntimeType::kScheduler},
    {"System.Threading.PortableThreadPool", RuntimeType::kPool},
    {"System.Threading.TimerQueueTimer", RuntimeType::kTimer},
};

constexpr int kMostBases = 64;

bool MayBeListed(std::string_view name) {
  return name.starts_with("System.") || name.starts_with("Microsoft.Win32.") ||
         name.starts_with("Microsoft.Extensions.Hosting.");
}

}  // namespace

RuntimeTypes::RuntimeTypes(const HeapModel& model) : graph_(&model.graph) {
  const auto classes = graph_->classes();
  std::vector<RuntimeType> own(classes.size(), RuntimeType::kOther);
  for (ClassIndex i = 0; i < classes.size(); ++i) {
    const std::string_view name =
        model.dictionaries.String(model.dictionaries.type(classes[i].type).name);
    if (classes[i].kind == HeapClass::Kind::kArray || !MayBeListed(name)) continue;
    const auto entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                    [name](const Entry& e) { return e.name == name; });
    if (entry != std::end(kEntries)) own[i] = entry->type;
  }
  of_class_.resize(classes.size());
  for (ClassIndex i = 0; i < classes.size(); ++i) {
    ClassIndex base = i;
    for (int n = 0; n < kMostBases && base != 0 && base < classes.size(); ++n) {
      if (own[base] != RuntimeType::kOther) {
        of_class_[i] = own[base];
        break;
      }
      base = classes[base].base;
    }
    if (base == i || base == 0) {
      if (of_class_[i] == RuntimeType::kContext) of_class_[i] = RuntimeType::kPlainContext;
      continue;
    }
    // A class derived from Task that is not listed above completes in its own way.
    if (of_class_[i] == RuntimeType::kTask && own[i] == RuntimeType::kOther) {
      of_class_[i] = RuntimeType::kOtherTask;
    }
  }
}

}  // namespace hindsight::analyzer
