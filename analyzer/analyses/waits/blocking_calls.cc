#include "analyzer/analyses/waits/blocking_calls.h"

#include <algorithm>
#include <iterator>

namespace hindsight::analyzer {
namespace {

using CallKind = BlockingCall::Kind;

enum class Ends : uint8_t {
  kNever,          // this method has no timeout
  kWithoutNumber,  // it has none if no parameter is a number or a TimeSpan
  kPerhaps,
  kAfterTimeout,
};

struct KnownCall {
  std::string_view type;
  std::string_view method;  // if it ends with *, also those that begin with it
  CallKind kind = CallKind::kNone;
  Ends ends = Ends::kPerhaps;
  bool writes = false;
};

// Methods of System.Private.CoreLib in which threads block, .NET 8 to 10. From .NET 10, code that
// needs a static of a class whose constructor runs on another thread waits in InitHelpers; before,
// in native code without a frame of its own.
constexpr KnownCall kCalls[] = {
    {"System.Threading.Monitor", "Enter", CallKind::kMonitor, Ends::kNever},
    {"System.Threading.Monitor", "ReliableEnter", CallKind::kMonitor, Ends::kNever},
    {"System.Threading.Monitor", "Enter_Slowpath", CallKind::kMonitor, Ends::kNever},
    {"System.Threading.Monitor", "TryEnter*", CallKind::kMonitor, Ends::kAfterTimeout},
    {"System.Threading.Monitor", "ReliableEnterTimeout", CallKind::kMonitor, Ends::kAfterTimeout},
    {"System.Threading.Monitor", "ObjWait", CallKind::kMonitorWait},
    {"System.Threading.Monitor", "Wait", CallKind::kMonitorWait, Ends::kWithoutNumber},
    {"System.Threading.Monitor", "<Wait>*", CallKind::kMonitorWait},
    {"System.Threading.Lock", "Enter", CallKind::kLock, Ends::kNever},
    {"System.Threading.Lock", "EnterScope", CallKind::kLock, Ends::kNever},
    {"System.Threading.Lock", "EnterAndGetCurrentThreadId", CallKind::kLock, Ends::kNever},
    {"System.Threading.Lock", "TryEnter*", CallKind::kLock},
    {"System.Threading.ReaderWriterLockSlim", "EnterReadLock", CallKind::kReaderWriter,
     Ends::kNever},
    {"System.Threading.ReaderWriterLockSlim", "EnterUpgradeableReadLock", CallKind::kReaderWriter,
     Ends::kNever, true},
    {"System.Threading.ReaderWriterLockSlim", "EnterWriteLock", CallKind::kReaderWriter,
     Ends::kNever, true},
    {"System.Threading.ReaderWriterLockSlim", "TryEnterReadLock*", CallKind::kReaderWriter},
    {"System.Threading.ReaderWriterLockSlim", "TryEnterUpgradeableReadLock*",
     CallKind::kReaderWriter, Ends::kPerhaps, true},
    {"System.Threading.ReaderWriterLockSlim", "TryEnterWriteLock*", CallKind::kReaderWriter,
     Ends::kPerhaps, true},
    {"System.Runtime.CompilerServices.InitHelpers", "Init*", CallKind::kClassInit, Ends::kNever},
    {"System.Runtime.CompilerServices.StaticsHelpers", "Get*", CallKind::kClassInit, Ends::kNever},
    {"System.Threading.SemaphoreSlim", "Wait", CallKind::kSemaphore, Ends::kWithoutNumber},
    {"System.Threading.SemaphoreSlim", "WaitCore", CallKind::kSemaphore},
    {"System.Threading.SemaphoreSlim", "WaitUntilCountOrTimeout", CallKind::kSemaphore},
    {"System.Threading.ManualResetEventSlim", "Wait", CallKind::kEventSlim, Ends::kWithoutNumber},
    {"System.Threading.CountdownEvent", "Wait", CallKind::kEventSlim, Ends::kWithoutNumber},
    {"System.Threading.Barrier", "SignalAndWait", CallKind::kEventSlim, Ends::kWithoutNumber},
    {"System.Threading.Tasks.Task", "Wait", CallKind::kTask, Ends::kWithoutNumber},
    {"System.Threading.Tasks.Task", "InternalWait", CallKind::kTask},
    {"System.Threading.Tasks.Task", "InternalWaitCore", CallKind::kTask},
    {"System.Threading.Tasks.Task", "SpinThenBlockingWait", CallKind::kTask},
    {"System.Threading.Tasks.Task", "WaitAll", CallKind::kTasks, Ends::kWithoutNumber},
    {"System.Threading.Tasks.Task", "WaitAllCore", CallKind::kTasks},
    {"System.Threading.Tasks.Task", "WaitAllBlockingCore", CallKind::kTasks},
    {"System.Threading.Tasks.Task", "WaitAny", CallKind::kTasks, Ends::kWithoutNumber},
    {"System.Threading.Tasks.Task", "WaitAnyCore", CallKind::kTasks},
    {"System.Threading.Tasks.Task`1", "get_Result", CallKind::kTask, Ends::kNever},
    {"System.Threading.Tasks.Task`1", "GetResultCore", CallKind::kTask, Ends::kNever},
    {"System.Runtime.CompilerServices.TaskAwaiter", "GetResult", CallKind::kTask, Ends::kNever},
    {"System.Runtime.CompilerServices.TaskAwaiter", "HandleNonSuccessAndDebuggerNotification",
     CallKind::kTask, Ends::kNever},
    {"System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult", CallKind::kTask, Ends::kNever},
    {"System.Threading.Thread", "Join", CallKind::kJoin, Ends::kWithoutNumber},
    {"System.Threading.CancellationTokenSource+Registrations", "WaitForCallbackToComplete",
     CallKind::kCallback, Ends::kNever},
    {"System.Threading.Thread", "Sleep", CallKind::kSleep},
    {"System.Threading.WaitHandle", "WaitOne", CallKind::kWaitHandle, Ends::kWithoutNumber},
    {"System.Threading.WaitHandle", "WaitOneNoCheck", CallKind::kWaitHandle},
    {"System.Threading.WaitHandle", "WaitOneCore", CallKind::kWaitHandle},
    {"System.Threading.WaitHandle", "WaitMultiple*", CallKind::kWaitHandles},
    {"System.Threading.WaitHandle", "WaitAny*", CallKind::kWaitHandles},
    {"System.Threading.WaitHandle", "WaitAll*", CallKind::kWaitHandles},
};

bool Matches(const KnownCall& call, std::string_view type, std::string_view method) {
  if (call.type != type) return false;
  if (!call.method.ends_with('*')) return call.method == method;
  return method.starts_with(call.method.substr(0, call.method.size() - 1));
}

bool IsNumber(std::string_view parameter) {
  return parameter == "System.Int32" || parameter == "System.Int64" ||
         parameter == "System.TimeSpan" || parameter == "int" || parameter == "long" ||
         parameter == "TimeSpan";
}

// Awaiters are structs that only pass the call on; System.Threading.Lock reports its waits as
// events.
bool IsThreadingType(std::string_view type) {
  constexpr std::string_view kCompilerServices = "System.Runtime.CompilerServices.";
  if (type.starts_with("System.Threading.") ||
      type == "System.Diagnostics.Tracing.NativeRuntimeEventSource") {
    return true;
  }
  if (!type.starts_with(kCompilerServices)) return false;
  type.remove_prefix(kCompilerServices.size());
  return type == "InitHelpers" || type == "StaticsHelpers" || type.starts_with("TaskAwaiter") ||
         type.starts_with("ValueTaskAwaiter") || type.starts_with("ConfiguredTaskAwaitable") ||
         type.starts_with("ConfiguredValueTaskAwaitable") || type.starts_with("Async") ||
         type.starts_with("PoolingAsync");
}

}  // namespace

BlockingCalls::Facts BlockingCalls::Judge(MethodId id) const {
  Facts facts;
  facts.is_known = true;
  const Method& method = dictionaries_->method(id);
  const std::string_view type = dictionaries_->String(dictionaries_->type(method.type).name);
  const std::string_view name = dictionaries_->String(method.name);
  // Native code and the runtime's stubs come between a call and its callee.
  facts.is_threading = id == 0 || type.empty() || IsThreadingType(type);
  facts.is_pool_worker =
      type == "System.Threading.PortableThreadPool+WorkerThread" && name == "WorkerThreadStart";
  facts.dispatches = type == "System.Threading.ThreadPoolWorkQueue" && name == "Dispatch";
  const auto call = std::find_if(std::begin(kCalls), std::end(kCalls),
                                 [&](const KnownCall& c) { return Matches(c, type, name); });
  if (call == std::end(kCalls)) return facts;
  facts.kind = call->kind;
  facts.writes = call->writes;
  facts.times_out = call->ends == Ends::kAfterTimeout;
  facts.endless = call->ends == Ends::kNever ||
                  (call->ends == Ends::kWithoutNumber &&
                   std::none_of(method.parameters.begin(), method.parameters.end(), IsNumber));
  return facts;
}

const BlockingCalls::Facts& BlockingCalls::Of(MethodId method) const {
  if (method >= facts_.size()) facts_.resize(size_t{method} + 1);
  if (!facts_[method].is_known) facts_[method] = Judge(method);
  return facts_[method];
}

BlockingCall::Kind KindOf(WaitKind kind) {
  switch (kind) {
    case WaitKind::kMonitor:
      return CallKind::kMonitor;
    case WaitKind::kLock:
      return CallKind::kLock;
    case WaitKind::kMonitorWait:
      return CallKind::kMonitorWait;
    case WaitKind::kWaitHandle:
      return CallKind::kWaitHandle;
    case WaitKind::kTask:
      return CallKind::kTask;
    case WaitKind::kUnknown:
      break;
  }
  return CallKind::kNone;
}

BlockingCall BlockingCalls::Find(std::span<const MethodId> path) const {
  BlockingCall out;
  for (size_t i = 0; i < path.size(); ++i) {
    const Facts facts = Of(path[i]);
    if (!facts.is_threading) break;
    if (facts.kind == CallKind::kNone) continue;
    // Nested calls: Task.Wait blocks in ManualResetEventSlim.Wait, which blocks in Monitor.Wait.
    // The outermost shows what the thread wants; a timeout of an inner one may mean "never".
    out = {facts.kind, i + 1, facts.endless, facts.writes, facts.times_out};
  }
  return out;
}

BlockingCalls::Collection BlockingCalls::CollectionOf(std::span<const MethodId> path,
                                                      const BlockingCall& call) const {
  if (call.kind != CallKind::kSemaphore) return Collection::kNone;
  Collection collection = Collection::kNone;
  for (size_t i = call.frames; i < path.size(); ++i) {
    const Method& method = dictionaries_->method(path[i]);
    const std::string_view type = dictionaries_->String(dictionaries_->type(method.type).name);
    if (!type.starts_with("System.Collections.Concurrent.BlockingCollection")) break;
    const std::string_view name = dictionaries_->String(method.name);
    if (name.starts_with("Add") || name.starts_with("TryAdd")) return Collection::kRoom;
    collection = Collection::kItem;
  }
  return collection;
}

BlockingCalls::Worker BlockingCalls::WorkerOf(std::span<const MethodId> path) const {
  bool is_worker = false, has_work = !IsThreading(Site(path, 0));
  for (const MethodId method : path) {
    is_worker = is_worker || Of(method).is_pool_worker;
    has_work = has_work || Of(method).dispatches;
  }
  if (!is_worker) return Worker::kNone;
  return has_work ? Worker::kAtWork : Worker::kIdle;
}

MethodId BlockingCalls::Site(std::span<const MethodId> path, size_t from) const {
  for (size_t i = from; i < path.size(); ++i) {
    if (!IsThreading(path[i])) return path[i];
  }
  return from < path.size() ? path[from] : 0;
}

}  // namespace hindsight::analyzer
