#include "analyzer/analyses/waits/task_graph.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hindsight::analyzer {
namespace {

using Stage = UnfinishedTask::Stage;

// Task.TaskStateFlags.
constexpr int64_t kStarted = 0x10000;
constexpr int64_t kDelegateInvoked = 0x20000;
constexpr int64_t kCompleted = kTaskFaulted | kTaskCanceled | kTaskRanToCompletion;

constexpr int kMostContinuations = 8;  // nested within each other
constexpr std::string_view kBoxPrefix = "StateMachine.";
constexpr std::string_view kAwaiterPrefix = "<>u__";
constexpr std::string_view kBuilderPrefix = "<>t__";

template <typename Key>
std::span<const Continuation> Range(const std::vector<Continuation>& sorted, ObjectId id, Key key) {
  const auto less = [key](const Continuation& c, ObjectId value) { return c.*key < value; };
  const auto more = [key](ObjectId value, const Continuation& c) { return value < c.*key; };
  const auto begin = std::lower_bound(sorted.begin(), sorted.end(), id, less);
  const auto end = std::upper_bound(begin, sorted.end(), id, more);
  return {begin, end};
}

}  // namespace

TaskGraph::TaskGraph(const HeapModel& model, const RootPaths& paths, const RuntimeTypes& types,
                     ObjectFields& fields, Among among)
    : model_(&model),
      types_(&types),
      fields_(&fields),
      flags_(fields.Value("m_stateFlags")),
      id_(fields.Value("m_taskId")),
      state_(fields.Value("<>1__state")),
      boxed_state_(fields.Value("StateMachine.<>1__state")),
      size_(fields.Value("_size")),
      action_(fields.Slot("m_action")),
      continuation_(fields.Slot("m_continuationObject")),
      target_(fields.Slot("_target")),
      items_(fields.Slot("_items")),
      context_(fields.Slot("m_syncContext")),
      scheduler_(fields.Slot("m_scheduler")),
      continue_task_(fields.Slot("m_task")),
      wrapped_(fields.Slot("_continuation")),
      state_machine_(fields.Slot("StateMachine")),
      task_scheduler_(fields.Slot("m_taskScheduler")),
      antecedent_(fields.Slot("m_antecedent")),
      waited_task_(fields.Slot("_task")),
      shapes_(model.graph.classes().size()) {
  const HeapGraph& graph = model.graph;
  // Real lists belong to one task each; a forged heap might share them.
  list_budget_ = size_t{2} * graph.size() + 1024;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const RuntimeType type = types.Of(id);
    if (!IsTask(type) && type != RuntimeType::kPooledBox) continue;
    if (paths.IsReachable(id) != (among == Among::kReachable)) continue;
    ++task_count_;
    const bool is_pooled = type == RuntimeType::kPooledBox;
    // A box in its pool, waiting to be reused, awaits nothing.
    if (is_pooled ? Awaited(id) == kNoObject : IsDone(id)) {
      if (!is_pooled && !fields.Get(id, flags_)) ++unknown_count_;
      continue;
    }
    UnfinishedTask task;
    task.object = id;
    task.type = type;
    task.id = static_cast<uint32_t>(fields.Get(id, id_).value_or(0));
    tasks_.push_back(task);
    if (!is_pooled) Follow(id, fields.Get(id, continuation_), kNoObject, 0);
  }
  backward_ = forward_;
  std::stable_sort(backward_.begin(), backward_.end(),
                   [](const Continuation& a, const Continuation& b) { return a.to < b.to; });
  for (UnfinishedTask& task : tasks_) Describe(task);
}

// A heap that was walked in the pause has no values. There, references show which tasks have not
// completed: a method that has, has cleared its fields, and a task that has, has replaced its
// continuations by an object without a meaning.
bool TaskGraph::IsDone(ObjectId task) const {
  const auto flags = fields_->Get(task, flags_);
  if (flags) return (*flags & kCompleted) != 0;
  return Awaited(task) == kNoObject && !HasContinuation(task);
}

bool TaskGraph::HasContinuation(ObjectId task) const {
  const ObjectId continuation = fields_->Get(task, continuation_);
  if (continuation == kNoObject) return false;
  const RuntimeType type = types_->Of(continuation);
  switch (type) {
    case RuntimeType::kPooledBox:
    case RuntimeType::kWaitEvent:
    case RuntimeType::kCountdownEvent:
    case RuntimeType::kDelegate:
    case RuntimeType::kContinuationWrapper:
    case RuntimeType::kAwaitContinuation:
    case RuntimeType::kContextContinuation:
    case RuntimeType::kSchedulerContinuation:
    case RuntimeType::kContinueWith:
    case RuntimeType::kList:
      return true;
    default:
      return IsTask(type);
  }
}

std::optional<size_t> TaskGraph::IndexOf(ObjectId object) const {
  const auto found =
      std::lower_bound(tasks_.begin(), tasks_.end(), object,
                       [](const UnfinishedTask& task, ObjectId id) { return task.object < id; });
  if (found == tasks_.end() || found->object != object) return {};
  return static_cast<size_t>(found - tasks_.begin());
}

const UnfinishedTask* TaskGraph::Find(ObjectId object) const {
  const auto index = IndexOf(object);
  return index ? &tasks_[*index] : nullptr;
}

bool TaskGraph::IsInnermost(const UnfinishedTask& task) const {
  if (!IsAsyncMethod(task.type) || task.stage == Stage::kUnknown) return false;
  if (task.awaited == kNoObject || task.awaited_is_done) return true;
  const UnfinishedTask* awaited = Find(task.awaited);
  return awaited == nullptr || !IsAsyncMethod(awaited->type);
}

std::span<const Continuation> TaskGraph::ContinuationsOf(ObjectId task) const {
  return Range(forward_, task, &Continuation::from);
}

std::span<const Continuation> TaskGraph::AntecedentsOf(ObjectId object) const {
  return Range(backward_, object, &Continuation::to);
}

// Handles the same continuations as the runtime's RunContinuations.
void TaskGraph::Follow(ObjectId task, ObjectId continuation, ObjectId through, int depth) {
  if (continuation == kNoObject || depth > kMostContinuations) return;
  const RuntimeType type = types_->Of(continuation);
  if (IsTask(type) || type == RuntimeType::kPooledBox || type == RuntimeType::kWaitEvent ||
      type == RuntimeType::kCountdownEvent) {
    forward_.push_back({task, continuation, through});
    return;
  }
  switch (type) {
    case RuntimeType::kDelegate:
      Follow(task, fields_->Get(continuation, target_), through, depth + 1);
      break;
    case RuntimeType::kContinuationWrapper:
      Follow(task, fields_->Get(continuation, wrapped_), through, depth + 1);
      break;
    case RuntimeType::kAwaitContinuation:
      Follow(task, fields_->Get(continuation, action_), through, depth + 1);
      break;
    case RuntimeType::kContextContinuation:
      Follow(task, fields_->Get(continuation, action_), fields_->Get(continuation, context_),
             depth + 1);
      break;
    case RuntimeType::kSchedulerContinuation:
      Follow(task, fields_->Get(continuation, action_), fields_->Get(continuation, scheduler_),
             depth + 1);
      break;
    case RuntimeType::kContinueWith:
      Follow(task, fields_->Get(continuation, continue_task_),
             fields_->Get(continuation, task_scheduler_), depth + 1);
      break;
    case RuntimeType::kList: {
      const ObjectId items = fields_->Get(continuation, items_);
      if (items == kNoObject || depth > 0) break;  // a list is never within another one
      const auto entries = model_->graph.References(items);
      if (entries.size() > list_budget_) break;
      list_budget_ -= entries.size();
      for (const ObjectId item : entries) {
        Follow(task, item, through, depth + 1);
      }
      break;
    }
    default:
      break;
  }
}

const TaskGraph::BoxShape& TaskGraph::ShapeOf(ClassIndex type, std::string_view prefix) const {
  BoxShape& shape = shapes_[type];
  if (shape.is_known) return shape;
  shape.is_known = true;
  const HeapClass& entry = model_->graph.classes()[type];
  for (uint32_t i = 0; i < entry.slot_names.size(); ++i) {
    std::string_view name = model_->dictionaries.String(entry.slot_names[i]);
    if (name == "StateMachine") shape.is_object = true;
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (name.starts_with(kAwaiterPrefix)) {
      shape.awaiter_slots.push_back(i);
    } else if (!name.starts_with(kBuilderPrefix)) {
      shape.kept_slots.push_back(i);
    }
  }
  return shape;
}

std::pair<ObjectId, const TaskGraph::BoxShape*> TaskGraph::StateMachine(ObjectId box) const {
  const RuntimeType type = types_->Of(box);
  if (!IsAsyncMethod(type)) {
    return {kNoObject, nullptr};
  }
  const BoxShape* shape = &ShapeOf(model_->graph.ClassOf(box), kBoxPrefix);
  if (!shape->is_object) return {box, shape};
  const ObjectId machine = fields_->Get(box, state_machine_);
  if (machine == kNoObject) return {kNoObject, nullptr};
  return {machine, &ShapeOf(model_->graph.ClassOf(machine), "")};
}

std::optional<int64_t> TaskGraph::StateOf(ObjectId box) const {
  const auto [holder, shape] = StateMachine(box);
  if (shape == nullptr) return {};
  return fields_->Get(holder, holder == box ? boxed_state_ : state_);
}

TypeId TaskGraph::StateMachineOf(ObjectId object) const {
  const RuntimeType type = types_->Of(object);
  if (!IsAsyncMethod(type)) return 0;
  const HeapClass& entry = model_->graph.classes()[model_->graph.ClassOf(object)];
  const Type& box = model_->dictionaries.type(entry.type);
  return box.arguments.empty() ? 0 : box.arguments.back();
}

// An async method clears an awaiter's field when it resumes, so at most one is set.
ObjectId TaskGraph::Awaited(ObjectId box) const {
  const auto [holder, shape] = StateMachine(box);
  if (shape == nullptr || shape->awaiter_slots.empty()) return kNoObject;
  ObjectId found = kNoObject;
  const auto& slots = shape->awaiter_slots;
  model_->graph.ForEachReference(holder, [&](uint64_t slot, ObjectId target) {
    if (found != kNoObject && IsTask(types_->Of(found))) return;
    if (std::binary_search(slots.begin(), slots.end(), slot)) found = target;
  });
  return found;
}

void TaskGraph::DescribeDelegate(UnfinishedTask& task, std::optional<int64_t> flags) const {
  if (fields_->Get(task.object, action_) == kNoObject) {
    task.stage = Stage::kPromise;
    return;
  }
  task.stage = !flags                             ? Stage::kUnknown
               : (*flags & kStarted) == 0         ? Stage::kNotStarted
               : (*flags & kDelegateInvoked) == 0 ? Stage::kQueued
                                                  : Stage::kRunning;
  task.runs_on = fields_->Get(task.object, task_scheduler_);
}

void TaskGraph::Describe(UnfinishedTask& task) const {
  const std::optional<int64_t> flags = fields_->Get(task.object, flags_);
  switch (task.type) {
    case RuntimeType::kStateMachineBox:
    case RuntimeType::kPooledBox: {
      const auto state = StateOf(task.object);
      task.awaited = Awaited(task.object);
      if (state && *state == -1) {
        task.stage = Stage::kRunning;
      } else if (task.awaited != kNoObject || (state && *state >= 0)) {
        task.stage = Stage::kSuspended;
      }
      break;
    }
    case RuntimeType::kTask:
    case RuntimeType::kOtherTask:
      DescribeDelegate(task, flags);
      break;
    case RuntimeType::kContinuationTask:
      DescribeDelegate(task, flags);
      task.awaited = fields_->Get(task.object, antecedent_);
      // It is not started before its antecedent has completed, and then forgets it.
      if (task.stage == Stage::kNotStarted ||
          (task.stage == Stage::kUnknown && task.awaited != kNoObject)) {
        task.stage = Stage::kPromise;
      }
      break;
    case RuntimeType::kWaitAsync:
      task.stage = Stage::kPromise;
      task.awaited = fields_->Get(task.object, waited_task_);
      break;
    default:
      task.stage = Stage::kPromise;
  }
  if (task.awaited == kNoObject || !IsTask(types_->Of(task.awaited))) return;
  task.awaited_is_done = IsDone(task.awaited);
  for (const Continuation& continuation : AntecedentsOf(task.object)) {
    if (continuation.from == task.awaited) task.runs_on = continuation.through;
  }
}

}  // namespace hindsight::analyzer
