// Threads; locks are in heap_wait_locks.cc, semaphores in heap_wait_semaphores.cc, tasks in
// heap_wait_tasks.cc, class constructors in heap_wait_initializers.cc.
#include "analyzer/analyses/waits/heap_waits.h"

#include <algorithm>
#include <string_view>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;
using Needs = WaitNode::Needs;
using Call = BlockingCall::Kind;

}  // namespace

HeapWaits::HeapWaits(const HeapModel& model, const RootPaths& paths, const DeadlockRules& rules)
    : model_(&model),
      paths_(&paths),
      rules_(rules),
      fields_(model),
      types_(model),
      tasks_(model, paths, types_, fields_),
      grain_calls_(model, paths, tasks_, fields_),
      calls_(model.dictionaries),
      count_(fields_.Value("m_currentCount")),
      max_count_(fields_.Value("m_maxCount")),
      owning_thread_(fields_.Value("_owningThreadId")),
      write_owner_(fields_.Value("_writeLockOwnerId")),
      upgrade_owner_(fields_.Value("_upgradeLockOwnerId")),
      lock_id_(fields_.Value("_lockID")),
      reader_lock_id_(fields_.Value("lockID")),
      reader_count_(fields_.Value("readercount")),
      upgrade_count_(fields_.Value("upgradecount")),
      managed_id_(fields_.Value("_managedThreadId")),
      clr_thread_(fields_.Value("_DONT_USE_InternalThread")),
      max_threads_(fields_.Value("_maxThreads")),
      sync_context_(fields_.Slot("_synchronizationContext")),
      event_lock_(fields_.Slot("m_lock")),
      semaphore_lock_(fields_.Slot("m_lockObjAndDisposed")),
      async_head_(fields_.Slot("m_asyncHead")),
      next_(fields_.Slot("Next")),
      reader_next_(fields_.Slot("next")),
      source_task_(fields_.Slot("_task")),
      context_of_scheduler_(fields_.Slot("m_synchronizationContext")),
      target_(fields_.Slot("_target")),
      handle_(fields_.Slot("_waitHandle")),
      source_(fields_.Slot("_source")) {
  AddThreads();
  AddMonitors();
  AddInitializers();
  FindReadCounts();
  FindSources();
  FindRunners();
  AddTasks();
  FindSemaphoreWaits();
  FindQueues();
  for (size_t i = 0; i < tasks_.tasks().size(); ++i) ConnectTask(i);
  for (uint32_t i = 0; i < waits_.threads.size(); ++i) ConnectThread(i);
  FindWaitHandles();
  ConnectToMutexes();
  waits_.graph.Finish();
  JudgeSemaphores();
  waits_.graph.Finish();
  waits_.counts.threads = waits_.threads.size();
  waits_.counts.tasks = tasks_.task_count();
  waits_.counts.unfinished_tasks = tasks_.tasks().size();
  if (waits_.threads.empty()) {
    waits_.notes.push_back("The snapshot has no thread stacks: waits are known for tasks only.");
  } else if (waits_.counts.threads_without_stack > 0) {
    const uint64_t count = waits_.counts.threads_without_stack;
    waits_.notes.push_back(Plural(count, "thread") + (count == 1 ? " has" : " have") +
                           " no stack; assumed running.");
  }
  const std::string& because = model.graph.monitors_unknown_because();
  if (!because.empty()) {
    waits_.counts.monitors_unknown = true;
    waits_.notes.push_back("Some monitors are unknown: " + because);
  }
  if (waits_.counts.unknown_owners > 0) {
    waits_.notes.push_back("The owner of " + Plural(waits_.counts.unknown_owners, "lock") +
                           " that threads wait for is unknown.");
  }
  waits_.counts.unknown_tasks = tasks_.unknown_count();
  if (tasks_.unknown_count() > 0) waits_.notes.push_back(UnknownTasksNote(tasks_.unknown_count()));
}

std::string UnknownTasks(uint64_t count) {
  return "state of " + Plural(count, "task") + " was not recorded";
}

std::string UnknownTasksNote(uint64_t count) {
  return "The " + UnknownTasks(count) + ", and nothing awaits " + (count == 1 ? "it" : "them") +
         ": assumed finished.";
}

void HeapWaits::AddThreads() {
  const HeapGraph& graph = model_->graph;
  for (const HeapThread& from : graph.threads()) {
    const auto index = static_cast<uint32_t>(waits_.threads.size());
    Thread thread;
    thread.os_id = from.os_id;
    thread.managed_id = from.managed_id;
    thread.name = from.name;
    thread.stack = from.stack;
    thread.path = model_->dictionaries.Path(from.stack);
    // Stacks are walked shortly before the heap is copied. If none of the stack's objects are
    // known, the thread has run since: it waits for nothing, whatever its frames were. Unless it
    // waits by asking again and again.
    const BlockingCall call = calls_.Find(thread.path);
    if (!from.objects.empty() || call.kind == Call::kCallback) thread.call = call;
    thread.is_pool_worker = calls_.IsOnPoolWorker(thread.path);
    if (from.stack == 0) ++waits_.counts.threads_without_stack;
    by_os_id_.try_emplace(from.os_id, index);
    if (from.managed_id != 0) by_managed_id_.try_emplace(from.managed_id, index);
    waits_.threads.push_back(std::move(thread));
    waits_.graph.Add({.kind = Kind::kThread, .thread = index});
  }
  // Thread objects, by the runtime's id of the thread or by the managed id.
  std::unordered_map<uint64_t, uint32_t> by_clr;
  for (uint32_t i = 0; i < graph.threads().size(); ++i) {
    if (graph.threads()[i].clr_thread != 0) by_clr.try_emplace(graph.threads()[i].clr_thread, i);
  }
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (types_.Of(id) != RuntimeType::kThread) continue;
    const auto clr = fields_.Get(id, clr_thread_);
    const auto managed = fields_.Get(id, managed_id_);
    std::optional<uint32_t> index;
    if (const auto found = clr ? by_clr.find(static_cast<uint64_t>(*clr)) : by_clr.end();
        found != by_clr.end()) {
      index = found->second;
    } else if (managed && !clr) {
      index = ThreadByManagedId(*managed);
    }
    if (!index) continue;
    Thread& thread = waits_.threads[*index];
    thread.object = id;
    if (managed && thread.managed_id == 0) {
      thread.managed_id = static_cast<uint32_t>(*managed);
      by_managed_id_.try_emplace(thread.managed_id, *index);
    }
    by_thread_object_[id] = *index;
    thread.context = fields_.Get(id, sync_context_);
  }
}

std::optional<uint32_t> HeapWaits::ThreadByOsId(uint64_t os_id) const {
  const auto found = by_os_id_.find(os_id);
  return found == by_os_id_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t> HeapWaits::ThreadByManagedId(int64_t managed_id) const {
  const auto found = by_managed_id_.find(static_cast<uint64_t>(managed_id));
  return managed_id <= 0 || found == by_managed_id_.end() ? std::nullopt
                                                          : std::optional(found->second);
}

uint32_t HeapWaits::NodeOf(ObjectId object, Kind kind) {
  const auto [place, is_new] = nodes_.try_emplace(object, 0);
  if (is_new) {
    place->second = waits_.graph.Add({.kind = kind, .object = object});
    if (kind == Kind::kContext) {
      ++waits_.counts.contexts;
    } else {
      ++waits_.counts.locks;
    }
  }
  return place->second;
}

void HeapWaits::Connect(uint32_t from, uint32_t to, WaitReason reason, Proof proof) {
  waits_.graph.Connect({from, to, proof, reason});
}

ObjectId HeapWaits::Static(const HeapStaticField& field) const {
  ObjectId found = kNoObject;
  if (field.holder >= model_->graph.size()) return found;
  model_->graph.ForEachReference(field.holder, [&](uint64_t slot, ObjectId target) {
    if (slot == field.slot) found = target;
  });
  return found;
}

HeapWaits::Nearest HeapWaits::FindNearest(uint32_t index,
                                          const std::function<bool(ObjectId)>& is_it) const {
  const HeapThread& thread = model_->graph.threads()[index];
  const size_t frames = waits_.threads[index].call.frames;
  Nearest out;
  for (const HeapStackObject& word : thread.objects) {
    const bool is_callers = word.frame != HeapStackObject::kRuntime && word.frame >= frames;
    // What the call itself refers to is better evidence than what its caller has.
    if (is_callers && (out.object != kNoObject || word.frame > frames)) break;
    if (word.object >= model_->graph.size() || !is_it(word.object)) continue;
    if (out.object == kNoObject) {
      out = {word.object, !is_callers};
    } else if (out.object != word.object) {
      out.is_only = false;
    }
  }
  return out;
}

void HeapWaits::ConnectThread(uint32_t thread) {
  const Thread& entry = waits_.threads[thread];
  const HeapThread& reported = model_->graph.threads()[thread];
  const bool has_monitor = reported.waiting_monitor != kNoObject && !reported.objects.empty();
  if (entry.call.kind != Call::kNone || has_monitor) ++waits_.counts.blocked_threads;
  switch (entry.call.kind) {
    case Call::kMonitor:
      return ConnectToMonitor(thread);
    case Call::kLock:
      return ConnectToLock(thread);
    case Call::kReaderWriter:
      return ConnectToReaderWriter(thread);
    case Call::kClassInit:
      return ConnectToInitializers(thread);
    case Call::kSemaphore:
      return ConnectToSemaphore(thread);
    case Call::kTask:
    case Call::kTasks:
      return ConnectToTasks(thread);
    case Call::kJoin:
      return ConnectToThread(thread);
    case Call::kCallback:
      return ConnectToCallback(thread);
    case Call::kWaitHandle:
      waiters_of_handles_.push_back(thread);
      return;
    case Call::kNone:
      // The frames of Monitor.Enter may be missing if the runtime was entered without one.
      if (has_monitor) ConnectToMonitor(thread);
      return;
    case Call::kMonitorWait:
    case Call::kWaitHandles:  // it is unknown which of them have not been signaled
    case Call::kEventSlim:
    case Call::kSleep:
      return;  // anything may wake it
  }
}

void HeapWaits::ConnectToTasks(uint32_t thread) {
  const ObjectId monitor = model_->graph.threads()[thread].waiting_monitor;
  // The event that Task.Wait created for this wait: it is also among the task's continuations.
  const auto is_event = [&](ObjectId object) {
    const RuntimeType type = types_.Of(object);
    if (type != RuntimeType::kWaitEvent && type != RuntimeType::kCountdownEvent) return false;
    return monitor == kNoObject || fields_.Get(object, event_lock_) == monitor;
  };
  const Nearest event = FindNearest(thread, is_event);
  if (event.object != kNoObject) {
    const auto antecedents = tasks_.AntecedentsOf(event.object);
    for (const Continuation& from : antecedents) {
      waits_.graph.node(thread).needs = Needs::kAll;
      Connect(thread, NodeOfTask(*tasks_.IndexOf(from.from)), WaitReason::kWaitEvent,
              Proof::kCertain);
    }
    return;  // without antecedents, the task has completed
  }
  if (waits_.threads[thread].call.kind == Call::kTasks) return;
  const Nearest task =
      FindNearest(thread, [&](ObjectId object) { return tasks_.IndexOf(object).has_value(); });
  if (task.object == kNoObject) return;
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, NodeOfTask(*tasks_.IndexOf(task.object)), WaitReason::kNearestObject,
          Proof::kLikely);
}

}  // namespace hindsight::analyzer
