#include "tests/support/wait_scene.h"

#include <utility>

namespace hindsight::testing {
namespace {

const std::vector<std::string> kTaskSlots = {"m_action", "m_taskScheduler", "m_continuationObject"};
const std::vector<std::string> kTaskValues = {"m_taskId", "m_stateFlags"};

std::vector<std::string> With(std::vector<std::string> names,
                              const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

WaitScene::WaitScene(bool has_values) : has_values_(has_values) {
  task_ = Class("System.Threading.Tasks.Task", kTaskSlots, kTaskValues);
}

WaitScene::ClassIndex WaitScene::Class(std::string_view name, std::vector<std::string> slots,
                                       std::vector<std::string> values, ClassIndex base) {
  return Generic(name, "", std::move(slots), std::move(values), base);
}

WaitScene::ClassIndex WaitScene::Generic(std::string_view name, std::string_view argument,
                                         std::vector<std::string> slots,
                                         std::vector<std::string> values, ClassIndex base) {
  const std::string key = std::string(name) + "|" + std::string(argument);
  const auto [place, is_new] = classes_.try_emplace(key, 0);
  if (!is_new) return place->second;
  const analyzer::TypeId type =
      argument.empty() ? heap_.Type(name) : heap_.Type(name, {heap_.Type(argument)});
  const ClassIndex index = heap_.Class(type, std::move(slots));
  for (const std::string& value : values) {
    if (has_values_) heap_.AddValueField(index, value);
  }
  heap_.Edit(index).base = base;
  return place->second = index;
}

void WaitScene::SetValue(ObjectId object, std::string_view field, int64_t value) {
  if (has_values_) heap_.Value(object, field, value);
}

WaitScene::ObjectId WaitScene::Alive(ClassIndex type) {
  const ObjectId id = heap_.Add(type);
  if (!is_dropping_) heap_.Root(id);
  return id;
}

WaitScene::ObjectId WaitScene::Object(std::string_view type, std::vector<std::string> slots) {
  return Alive(Class(type, std::move(slots)));
}

WaitScene::ObjectId WaitScene::Lock(uint32_t owner_os_id) {
  const ObjectId id = Alive(Class("System.Threading.Lock", {}, {"_owningThreadId"}));
  SetValue(id, "_owningThreadId", owner_os_id);
  return id;
}

WaitScene::ObjectId WaitScene::ReaderWriterLock(int64_t id, int64_t writer, int64_t upgrader) {
  const ObjectId lock = Alive(Class("System.Threading.ReaderWriterLockSlim", {},
                                    {"_lockID", "_writeLockOwnerId", "_upgradeLockOwnerId"}));
  SetValue(lock, "_lockID", id);
  SetValue(lock, "_writeLockOwnerId", writer);
  SetValue(lock, "_upgradeLockOwnerId", upgrader);
  return lock;
}

void WaitScene::Reader(uint32_t os_id, int64_t lock_id) {
  const ObjectId count =
      heap_.Add(Class("System.Threading.ReaderWriterCount", {"next"}, {"lockID", "readercount"}));
  SetValue(count, "lockID", lock_id);
  SetValue(count, "readercount", 1);
  heap_.Static("System.Threading.ReaderWriterLockSlim", "t_rwc", count, os_id);
}

WaitScene::ObjectId WaitScene::Semaphore(int64_t count, int64_t max) {
  const ObjectId id =
      Alive(Class("System.Threading.SemaphoreSlim", {"m_lockObjAndDisposed", "m_asyncHead"},
                  {"m_currentCount", "m_maxCount"}));
  SetValue(id, "m_currentCount", count);
  SetValue(id, "m_maxCount", max);
  return id;
}

WaitScene::ObjectId WaitScene::ThreadObject(uint64_t clr_thread, int64_t managed_id,
                                            ObjectId context) {
  const ObjectId id = Alive(Class("System.Threading.Thread", {"_synchronizationContext"},
                                  {"_DONT_USE_InternalThread", "_managedThreadId"}));
  SetValue(id, "_DONT_USE_InternalThread", static_cast<int64_t>(clr_thread));
  SetValue(id, "_managedThreadId", managed_id);
  if (context != kNone) heap_.Refer(id, "_synchronizationContext", context);
  return id;
}

WaitScene::WaitHandle WaitScene::Handle(std::string_view type) {
  const ObjectId safe = Alive(Class("Microsoft.Win32.SafeHandles.SafeWaitHandle", {}));
  const ObjectId object = Alive(Class(type, {"_waitHandle"}));
  heap_.Refer(object, "_waitHandle", safe);
  return {object, safe};
}

WaitScene::ObjectId WaitScene::Context(std::string_view type) {
  const ClassIndex base = Class("System.Threading.SynchronizationContext", {});
  const ObjectId context = Alive(Class(type, {"posted_"}, {}, base));
  posted_.try_emplace(context);
  return context;
}

WaitScene::ObjectId WaitScene::ContextWithoutQueue(std::string_view type, ObjectId inner) {
  const ClassIndex base = Class("System.Threading.SynchronizationContext", {});
  const ObjectId context = Alive(Class(type, {"inner_"}, {}, base));
  if (inner != kNone) heap_.Refer(context, "inner_", inner);
  return context;
}

WaitScene::ObjectId WaitScene::Pool(int64_t max_threads) {
  const ObjectId id = Alive(Class("System.Threading.PortableThreadPool", {}, {"_maxThreads"}));
  SetValue(id, "_maxThreads", max_threads);
  return id;
}

WaitScene::ObjectId WaitScene::Promise(std::string_view result, int64_t flags) {
  const ClassIndex type = result.empty()
                              ? task_
                              : Generic("System.Threading.Tasks.Task`1", result,
                                        With(kTaskSlots, {"m_result"}), kTaskValues, task_);
  const ObjectId id = Alive(type);
  SetValue(id, "m_stateFlags", flags);
  is_done_[id] = flags == kDone;
  return id;
}

WaitScene::ObjectId WaitScene::CompletionSource(ObjectId task, std::string_view result) {
  const ObjectId id =
      heap_.Add(Generic(result.empty() ? "System.Threading.Tasks.TaskCompletionSource"
                                       : "System.Threading.Tasks.TaskCompletionSource`1",
                        result, {"_task"}));
  heap_.Refer(id, "_task", task);
  return id;
}

WaitScene::ObjectId WaitScene::Waiter(std::string_view type, ObjectId task) {
  const ClassIndex base = Class("System.Threading.Tasks.TaskCompletionSource`1", {"_task"});
  const ObjectId id = heap_.Add(Class(type, {"_task"}, {}, base));
  heap_.Refer(id, "_task", task);
  return id;
}

WaitScene::ObjectId WaitScene::WaitAsync(ObjectId task) {
  const ObjectId id = Alive(
      Class("System.Threading.Tasks.Task+CancellationPromise`1", kTaskSlots, kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  Continue(task, id);
  return id;
}

WaitScene::ObjectId WaitScene::Delay() {
  const ObjectId id =
      Alive(Class("System.Threading.Tasks.Task+DelayPromise", kTaskSlots, kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  return id;
}

WaitScene::ObjectId WaitScene::SourceTask(std::string_view source) {
  return SourceTask(Object(source));
}

WaitScene::ObjectId WaitScene::SourceTask(ObjectId source) {
  const ObjectId id = Alive(Class("System.Threading.Tasks.ValueTask+ValueTaskSourceAsTask",
                                  With(kTaskSlots, {"_source"}), kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  heap_.Refer(id, "_source", source);
  return id;
}

WaitScene::ObjectId WaitScene::Task(int64_t flags, int64_t id) {
  const ObjectId task = Alive(task_);
  SetValue(task, "m_stateFlags", flags);
  SetValue(task, "m_taskId", id);
  heap_.Refer(
      task, "m_action",
      heap_.Add(Class("System.Action", {"_target"}, {}, Class("System.Delegate", {"_target"}))));
  return task;
}

WaitScene::ObjectId WaitScene::TaskOf(std::string_view target, int64_t flags) {
  const ObjectId task = Alive(task_);
  SetValue(task, "m_stateFlags", flags);
  const ObjectId action =
      heap_.Add(Class("System.Action", {"_target"}, {}, Class("System.Delegate", {"_target"})));
  heap_.Refer(task, "m_action", action);
  heap_.Refer(action, "_target", heap_.Add(Class(target, {})));
  return task;
}

WaitScene::ObjectId WaitScene::WhenAll(const std::vector<ObjectId>& tasks) {
  const ObjectId id =
      Alive(Class("System.Threading.Tasks.Task+WhenAllPromise", kTaskSlots, kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  for (const ObjectId task : tasks) Continue(task, id);
  return id;
}

WaitScene::ObjectId WaitScene::WhenAny(const std::vector<ObjectId>& tasks) {
  const ObjectId id = Alive(Class("System.Threading.Tasks.TaskFactory+CompleteOnInvokePromise`1",
                                  kTaskSlots, kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  for (const ObjectId task : tasks) Continue(task, id);
  return id;
}

WaitScene::ObjectId WaitScene::SemaphoreWait(ObjectId semaphore) {
  const ObjectId id = heap_.Add(Class("System.Threading.SemaphoreSlim+TaskNode",
                                      With(kTaskSlots, {"Next"}), kTaskValues, task_));
  SetValue(id, "m_stateFlags", kPromise);
  const auto [last, is_first] = last_wait_.try_emplace(semaphore, id);
  if (is_first) {
    heap_.Refer(semaphore, "m_asyncHead", id);
  } else {
    heap_.Refer(last->second, "Next", id);
    last->second = id;
  }
  return id;
}

WaitScene::ObjectId WaitScene::Async(std::string_view machine, int64_t state, ObjectId awaited,
                                     ObjectId context, ObjectId self, int64_t id) {
  const ClassIndex type = Generic(
      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1", machine,
      With(kTaskSlots, {"StateMachine.<>t__builder.m_task", "StateMachine.<>4__this",
                        "StateMachine.<>u__1.m_task", "StateMachine.message"}),
      With(kTaskValues, {"StateMachine.<>1__state"}), task_);
  const ObjectId box = Alive(type);
  SetValue(box, "m_stateFlags", kPromise);
  SetValue(box, "m_taskId", id);
  SetValue(box, "StateMachine.<>1__state", state);
  if (self != kNone) heap_.Refer(box, "StateMachine.<>4__this", self);
  if (awaited != kNone) Await(box, awaited, context);
  return box;
}

WaitScene::ObjectId WaitScene::ActionOf(ObjectId async) {
  const ObjectId action =
      heap_.Add(Class("System.Action", {"_target"}, {}, Class("System.Delegate", {"_target"})));
  heap_.Refer(action, "_target", async);
  return action;
}

void WaitScene::Await(ObjectId async, ObjectId awaited, ObjectId context) {
  heap_.Refer(async, "StateMachine.<>u__1.m_task", awaited);
  if (is_done_[awaited]) return;
  if (context == kNone) return Continue(awaited, async);
  const ObjectId continuation =
      heap_.Add(Class("System.Threading.Tasks.SynchronizationContextAwaitTaskContinuation",
                      {"m_action", "m_syncContext"}));
  heap_.Refer(continuation, "m_action", ActionOf(async));
  heap_.Refer(continuation, "m_syncContext", context);
  Continue(awaited, continuation);
}

void WaitScene::Continue(ObjectId task, ObjectId with) { continuations_[task].push_back(with); }

void WaitScene::Post(ObjectId context, ObjectId async) {
  posted_[context].push_back(ActionOf(async));
}

void WaitScene::Queue(ObjectId task) { queued_.push_back(task); }

WaitScene::ObjectId WaitScene::WaitEvent(ObjectId task) {
  const ObjectId event =
      heap_.Add(Class("System.Threading.Tasks.Task+SetOnInvokeMres", {"m_lock"}));
  Continue(task, event);
  return event;
}

void WaitScene::Runs(uint32_t os_id, ObjectId task) {
  heap_.Static("System.Threading.Tasks.Task", "t_currentTask", task, os_id);
}

std::unique_ptr<analyzer::HeapModel> WaitScene::Build() {
  const ClassIndex list =
      Generic("System.Collections.Generic.List`1", "System.Object", {"_items"}, {"_size"});
  const ClassIndex objects = heap_.Array("System.Object");
  const auto list_of = [&](const std::vector<ObjectId>& items) {
    const ObjectId id = heap_.Add(list);
    const ObjectId array = heap_.Add(objects, items.size());
    SetValue(id, "_size", static_cast<int64_t>(items.size()));
    heap_.Refer(id, "_items", array);
    for (size_t i = 0; i < items.size(); ++i) heap_.Refer(array, i, items[i]);
    return id;
  };
  for (const auto& [task, with] : continuations_) {
    heap_.Refer(task, "m_continuationObject", with.size() == 1 ? with[0] : list_of(with));
  }
  for (const auto& [context, actions] : posted_) {
    heap_.Refer(context, "posted_", list_of(actions));
  }
  if (!queued_.empty()) {
    const ObjectId queue = heap_.Add(Class("System.Threading.ThreadPoolWorkQueue", {"workItems"}));
    heap_.Refer(queue, "workItems", list_of(queued_));
    heap_.Static("System.Threading.ThreadPool", "s_workQueue", queue);
  }
  return heap_.Build();
}

}  // namespace hindsight::testing
