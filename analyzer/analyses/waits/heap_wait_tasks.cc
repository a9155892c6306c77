// Tasks in the wait graph of a heap: what completes them, and where they run.
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;
using Needs = WaitNode::Needs;
using Stage = UnfinishedTask::Stage;

// Whether a type is that of work, or has it as an argument: Queue<(SendOrPostCallback, object)>.
bool IsForWork(const Dictionaries& dictionaries, TypeId type) {
  constexpr size_t kMostTypes = 16;
  std::vector<TypeId> open = {type};
  for (size_t i = 0; i < open.size() && i < kMostTypes; ++i) {
    const Type& of = dictionaries.type(open[i]);
    const std::string_view name = dictionaries.String(of.name);
    if (name == "System.Threading.SendOrPostCallback" || name == "System.Action" ||
        name.starts_with("System.Action`") || name.starts_with("System.Threading.Tasks.Task")) {
      return true;
    }
    if (of.element != 0) open.push_back(of.element);
    open.insert(open.end(), of.arguments.begin(), of.arguments.end());
  }
  return false;
}

}  // namespace

void HeapWaits::AddTasks() {
  first_task_ = static_cast<uint32_t>(waits_.graph.nodes().size());
  for (const UnfinishedTask& task : tasks_.tasks()) {
    waits_.graph.Add({.kind = Kind::kTask, .object = task.object});
  }
}

void HeapWaits::FindSources() {
  const HeapGraph& graph = model_->graph;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (types_.Of(id) != RuntimeType::kCompletionSource || !paths_->IsReachable(id)) continue;
    const ObjectId task = fields_.Get(id, source_task_);
    if (task != kNoObject) sources_.try_emplace(task, id);
  }
}

ObjectId HeapWaits::SourceOf(ObjectId task) const {
  const auto found = sources_.find(task);
  return found == sources_.end() ? kNoObject : found->second;
}

// Whether it is a method of a task with which a thread executes it.
bool HeapWaits::IsExecuting(MethodId frame) const {
  const Dictionaries& dictionaries = model_->dictionaries;
  const Method& method = dictionaries.method(frame);
  const std::string_view name = dictionaries.String(method.name);
  return dictionaries.String(dictionaries.type(method.type).name)
             .starts_with("System.Threading.Tasks.Task") &&
         (name.starts_with("Execute") || name == "InnerInvoke");
}

// Which threads run which tasks: for delegates, Task.t_currentTask says so, or else the frame that
// executes them, since threads that wait for a task also have it on their stack. Async methods are
// on the stack of their thread, with their body among its frames.
void HeapWaits::FindRunners() {
  const HeapGraph& graph = model_->graph;
  for (const HeapStaticField& field : graph.statics()) {
    if (field.thread_os_id == 0) continue;
    if (model_->dictionaries.String(field.field) != "t_currentTask") continue;
    const auto thread = ThreadByOsId(field.thread_os_id);
    if (!thread) continue;
    const ObjectId task = Static(field);
    if (task != kNoObject) runners_.try_emplace(task, *thread);
  }
  const Dictionaries& dictionaries = model_->dictionaries;
  const auto threads = graph.threads();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    for (const HeapStackObject& word : threads[i].objects) {
      const UnfinishedTask* task = tasks_.Find(word.object);
      if (task == nullptr || task->stage != Stage::kRunning) continue;
      const TypeId machine = tasks_.StateMachineOf(word.object);
      if (machine == 0) {  // of a delegate, if the static is unknown
        const std::vector<MethodId>& path = waits_.threads[i].path;
        if (word.frame < path.size() && IsExecuting(path[word.frame])) {
          runners_.try_emplace(word.object, i);
        }
        continue;
      }
      const StringId name = dictionaries.type(machine).name;
      for (const MethodId method : waits_.threads[i].path) {
        if (dictionaries.type(dictionaries.method(method).type).name != name) continue;
        runners_.try_emplace(word.object, i);
        break;
      }
    }
  }
}

bool HeapWaits::IsFrameworks(ObjectId object) const {
  const HeapClass& type = model_->graph.classes()[model_->graph.ClassOf(object)];
  if (type.kind == HeapClass::Kind::kArray) return true;
  if (type.kind == HeapClass::Kind::kString) return false;
  const std::string_view name =
      model_->dictionaries.String(model_->dictionaries.type(type.type).name);
  return name.starts_with("System.Collections.") || name.starts_with("System.ValueTuple`") ||
         name.starts_with("System.Tuple`") || name.starts_with("System.Threading.Channels.") ||
         name.starts_with("System.Threading.ThreadPoolWorkQueue") ||
         name.starts_with("System.Threading.QueueUserWorkItemCallback");
}

// Whether an element of a queue's array is work: the arrays of queues also contain queues.
bool HeapWaits::IsWorkItem(ObjectId object) const {
  if (!IsFrameworks(object)) return true;
  const HeapClass& type = model_->graph.classes()[model_->graph.ClassOf(object)];
  return type.kind != HeapClass::Kind::kArray &&
         model_->dictionaries.String(model_->dictionaries.type(type.type).name)
             .starts_with("System.Threading.QueueUserWorkItemCallback");
}

HeapWaits::QueuedWork HeapWaits::QueuedBelow(ObjectId from) {
  QueuedWork out;
  std::vector<ObjectId> next = {from};
  std::unordered_set<ObjectId> seen = {from};
  while (!next.empty()) {
    const ObjectId at = next.back();
    next.pop_back();
    const auto references = model_->graph.References(at);
    if (references.size() > queue_budget_) break;
    queue_budget_ -= references.size();
    const HeapClass& holder = model_->graph.classes()[model_->graph.ClassOf(at)];
    const bool is_array = holder.kind == HeapClass::Kind::kArray;
    for (const ObjectId target : references) {
      out.items += is_array && IsWorkItem(target);
      const RuntimeType type = types_.Of(target);
      ObjectId task = target;
      if (type == RuntimeType::kDelegate) task = fields_.Get(target, target_);
      if (task != kNoObject && tasks_.IndexOf(task)) {
        out.tasks.push_back(task);
      } else if (type != RuntimeType::kDelegate && IsFrameworks(target) &&
                 seen.insert(target).second) {
        next.push_back(target);
      }
    }
  }
  return out;
}

void HeapWaits::FindQueues() {
  std::unordered_set<ObjectId> contexts;
  for (const Thread& thread : waits_.threads) {
    if (thread.context == kNoObject || types_.Of(thread.context) != RuntimeType::kContext) continue;
    if (!contexts.insert(thread.context).second) continue;
    for (const ObjectId task : QueuedBelow(thread.context).tasks) {
      queued_in_.try_emplace(task, thread.context);
    }
  }
  for (const HeapStaticField& field : model_->graph.statics()) {
    const std::string_view type =
        model_->dictionaries.String(model_->dictionaries.type(field.type).name);
    const std::string_view name = model_->dictionaries.String(field.field);
    const bool is_shared = type == "System.Threading.ThreadPool" && name == "s_workQueue";
    const bool is_local = type == "System.Threading.ThreadPoolWorkQueue+WorkStealingQueueList";
    if (!is_shared && !is_local) continue;
    const ObjectId queue = Static(field);
    if (queue == kNoObject) continue;
    const QueuedWork queued = QueuedBelow(queue);
    tasks_in_pool_.insert(tasks_in_pool_.end(), queued.tasks.begin(), queued.tasks.end());
    queued_in_pool_ += queued.items;
  }
  std::sort(tasks_in_pool_.begin(), tasks_in_pool_.end());
}

// One of the pool's workers has to proceed, unless the pool can start another one.
uint32_t HeapWaits::PoolNode() {
  if (pool_ != UINT32_MAX) return pool_;
  pool_ = waits_.graph.Add({.kind = Kind::kPool});
  std::optional<int64_t> most;
  for (ObjectId id = 0; id < model_->graph.size() && !most; ++id) {
    if (types_.Of(id) == RuntimeType::kPool) most = fields_.Get(id, max_threads_);
  }
  const auto workers = std::count_if(waits_.threads.begin(), waits_.threads.end(),
                                     [](const Thread& thread) { return thread.is_pool_worker; });
  if (!most || workers < *most || workers == 0) return pool_;
  waits_.graph.node(pool_).needs = Needs::kAny;
  for (uint32_t i = 0; i < waits_.threads.size(); ++i) {
    if (waits_.threads[i].is_pool_worker) {
      Connect(pool_, i, WaitReason::kPoolWorker, Proof::kCertain);
    }
  }
  return pool_;
}

// Whether what is posted to the context has to wait there, until a thread that has the context
// executes it. A context without a queue passes everything on: to the pool, as those of test
// runners do, or to another context. A queue is a collection of its own, or one for work that it
// reaches; those of user interfaces are not in the heap, or not of a known type.
bool HeapWaits::KeepsWork(ObjectId context) const {
  static constexpr std::array<std::string_view, 3> kWithQueue = {
      "System.Windows.Threading.DispatcherSynchronizationContext",
      "System.Windows.Forms.WindowsFormsSynchronizationContext",
      "Microsoft.AspNetCore.Components.Rendering.RendererSynchronizationContext"};
  constexpr int kMostSteps = 3;
  constexpr size_t kMostObjects = 1024;
  const HeapGraph& graph = model_->graph;
  const auto type_of = [&](ObjectId object) { return graph.classes()[graph.ClassOf(object)].type; };
  const auto name_of = [&](ObjectId object) {
    return model_->dictionaries.String(model_->dictionaries.type(type_of(object)).name);
  };
  if (std::ranges::find(kWithQueue, name_of(context)) != kWithQueue.end()) return true;
  bool has_queue = false;
  std::vector<ObjectId> level = {context};
  std::unordered_set<ObjectId> seen = {context};
  for (int step = 0; step < kMostSteps && seen.size() < kMostObjects; ++step) {
    std::vector<ObjectId> next;
    for (const ObjectId at : level) {
      for (const ObjectId target : graph.References(at)) {
        if (target >= graph.size() || target == context) continue;
        const RuntimeType type = types_.Of(target);
        if (type == RuntimeType::kContext && step == 0) return false;
        const std::string_view name = name_of(target);
        const bool is_collection =
            name.starts_with("System.Collections.") ||
            name.starts_with("System.Threading.Channels.") ||
            graph.classes()[graph.ClassOf(target)].kind == HeapClass::Kind::kArray;
        has_queue |=
            is_collection && (step == 0 || IsForWork(model_->dictionaries, type_of(target)));
        if (type == RuntimeType::kOther && seen.insert(target).second) next.push_back(target);
      }
    }
    level = std::move(next);
  }
  return has_queue;
}

void HeapWaits::ConnectToContext(uint32_t from, ObjectId context, WaitReason reason) {
  if (types_.Of(context) != RuntimeType::kContext) return;  // a context that uses the pool
  const bool is_new = nodes_.count(context) == 0;
  if (is_new && !KeepsWork(context)) return;
  const uint32_t node = NodeOf(context, Kind::kContext);
  if (is_new) {
    for (uint32_t i = 0; i < waits_.threads.size(); ++i) {
      if (waits_.threads[i].context != context) continue;
      waits_.graph.node(node).needs = Needs::kAny;
      Connect(node, i, WaitReason::kServesContext, Proof::kCertain);
    }
  }
  waits_.graph.node(from).needs = Needs::kAll;
  Connect(from, node, reason, Proof::kCertain);
}

void HeapWaits::ConnectToScheduler(size_t index) {
  const UnfinishedTask& task = tasks_.tasks()[index];
  const uint32_t node = NodeOfTask(index);
  if (std::binary_search(tasks_in_pool_.begin(), tasks_in_pool_.end(), task.object)) {
    waits_.graph.node(node).needs = Needs::kAll;
    return Connect(node, PoolNode(), WaitReason::kNeedsPool, Proof::kCertain);
  }
  if (task.runs_on == kNoObject) return;
  if (types_.Of(task.runs_on) != RuntimeType::kContextScheduler) return;
  const ObjectId context = fields_.Get(task.runs_on, context_of_scheduler_);
  if (context != kNoObject) ConnectToContext(node, context, WaitReason::kNeedsContext);
}

void HeapWaits::ConnectToRunner(size_t index) {
  const auto runner = runners_.find(tasks_.tasks()[index].object);
  if (runner == runners_.end()) return;
  waits_.graph.node(NodeOfTask(index)).needs = Needs::kAll;
  Connect(NodeOfTask(index), runner->second, WaitReason::kRunsHere, Proof::kCertain);
}

// What it awaited has completed: its continuation is in a queue, or runs.
void HeapWaits::ConnectPending(size_t index) {
  const UnfinishedTask& task = tasks_.tasks()[index];
  if (const auto queued = queued_in_.find(task.object); queued != queued_in_.end()) {
    return ConnectToContext(NodeOfTask(index), queued->second, WaitReason::kQueuedInContext);
  }
  ConnectToScheduler(index);
}

void HeapWaits::ConnectAntecedents(size_t index, Needs needs) {
  const auto antecedents = tasks_.AntecedentsOf(tasks_.tasks()[index].object);
  if (antecedents.empty()) return;
  const uint32_t node = NodeOfTask(index);
  waits_.graph.node(node).needs = needs;
  for (const Continuation& from : antecedents) {
    const auto other = tasks_.IndexOf(from.from);
    if (other) Connect(node, NodeOfTask(*other), WaitReason::kContinuation, Proof::kCertain);
  }
}

// Anything may complete an object that is not a task, unless it is known to be the answer to a
// call. Calls have a time limit.
void HeapWaits::ConnectToCall(size_t index, ObjectId source) {
  const auto callee = source == kNoObject ? std::nullopt : grain_calls_.CalleeOf(source);
  if (!callee) return;
  const auto run = tasks_.IndexOf(callee->run);
  if (!run) return;
  WaitNode& entry = waits_.graph.node(NodeOfTask(index));
  entry.needs = Needs::kAll;
  entry.may_be_helped = true;
  Connect(NodeOfTask(index), NodeOfTask(*run),
          callee->is_queued ? WaitReason::kCallQueued : WaitReason::kCallRuns, Proof::kCertain);
}

void HeapWaits::ConnectTask(size_t index) {
  const UnfinishedTask& task = tasks_.tasks()[index];
  const uint32_t node = NodeOfTask(index);
  WaitNode& entry = waits_.graph.node(node);
  switch (task.type) {
    case RuntimeType::kWhenAll:
    case RuntimeType::kUnwrap:
      return ConnectAntecedents(index, Needs::kAll);
    case RuntimeType::kWhenAny:
      return ConnectAntecedents(index, Needs::kAny);
    case RuntimeType::kWaitAsync:
      entry.may_be_helped = true;  // a timer, or a cancellation token
      return ConnectAntecedents(index, Needs::kAny);
    case RuntimeType::kSemaphoreWait: {
      const ObjectId semaphore = SemaphoreOf(task.object);
      if (semaphore == kNoObject) return;
      entry.needs = Needs::kAll;
      return Connect(node, nodes_.at(semaphore), WaitReason::kSemaphore, Proof::kCertain);
    }
    case RuntimeType::kSourceTask:
      return ConnectToCall(index, fields_.Get(task.object, source_));
    case RuntimeType::kDelay:
      return;
    default:
      break;
  }
  if (task.stage == Stage::kRunning) return ConnectToRunner(index);
  if (task.stage == Stage::kQueued) return ConnectToScheduler(index);
  if (task.awaited != kNoObject) {
    if (task.awaited_is_done) return ConnectPending(index);
    const auto awaited = tasks_.IndexOf(task.awaited);
    if (!awaited) return ConnectToCall(index, task.awaited);
    entry.needs = Needs::kAll;
    Connect(node, NodeOfTask(*awaited), WaitReason::kAwaiter, Proof::kCertain);
    // It has to continue where it began, whenever what it awaits completes.
    if (task.runs_on != kNoObject && types_.Of(task.runs_on) == RuntimeType::kContext) {
      ConnectToContext(node, task.runs_on, WaitReason::kNeedsContext);
    }
    return;
  }
  const bool is_plain_promise = task.stage == Stage::kPromise && task.type == RuntimeType::kTask;
  if (is_plain_promise && SourceOf(task.object) == kNoObject) {
    entry.needs = Needs::kAny;  // of no edges: whatever could have completed it is gone
    entry.may_be_helped = true;
    entry.is_abandoned = true;
  }
}

}  // namespace hindsight::analyzer
