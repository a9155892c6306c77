// Unfinished tasks and async methods, what each of them awaits, and what awaits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/waits/object_fields.h"
#include "analyzer/analyses/waits/runtime_types.h"

namespace hindsight::analyzer {

// What continues when `from` completes.
struct Continuation {
  ObjectId from = kNoObject;     // a task
  ObjectId to = kNoObject;       // a task, or the event on which a thread sleeps
  ObjectId through = kNoObject;  // SynchronizationContext or TaskScheduler that runs it, if any
};

struct UnfinishedTask {
  enum class Stage : uint8_t {
    kUnknown,     // its state was not recorded
    kNotStarted,  // of a delegate: Start was not called
    kQueued,      // of a delegate: started, but not running yet
    kRunning,
    kSuspended,  // an async method at an await
    kPromise,    // completed by others
  };
  ObjectId object = kNoObject;
  RuntimeType type = RuntimeType::kOther;
  Stage stage = Stage::kUnknown;
  uint32_t id = 0;  // Task.Id; 0: never asked for
  // What it awaits, if known: a task, or any other awaitable object.
  ObjectId awaited = kNoObject;
  bool awaited_is_done = false;  // its continuation is about to run, or should be
  // Where its continuation, or its delegate, has to run: a SynchronizationContext or a
  // TaskScheduler.
  ObjectId runs_on = kNoObject;
};

class TaskGraph {
 public:
  // Tasks that no root reaches are garbage: nothing can complete them any more.
  enum class Among : uint8_t { kReachable, kGarbage };
  // All must outlive this.
  TaskGraph(const HeapModel& model, const RootPaths& paths, const RuntimeTypes& types,
            ObjectFields& fields, Among among = Among::kReachable);

  std::span<const UnfinishedTask> tasks() const { return tasks_; }          // ordered by object
  std::span<const Continuation> continuations() const { return forward_; }  // ordered by from
  // nullptr: finished, not among them, or not a task.
  const UnfinishedTask* Find(ObjectId object) const;
  std::optional<size_t> IndexOf(ObjectId object) const;
  // Whether it is the innermost method of a chain: an async method that does not await another
  // unfinished one.
  bool IsInnermost(const UnfinishedTask& task) const;

  std::span<const Continuation> ContinuationsOf(ObjectId task) const;
  // Those that lead to `object`, from the tasks for which it waits.
  std::span<const Continuation> AntecedentsOf(ObjectId object) const;

  // The number of tasks, including finished ones.
  uint64_t task_count() const { return task_count_; }
  // Those whose state was not recorded and which nothing shows to be unfinished: they count as
  // finished.
  uint64_t unknown_count() const { return unknown_count_; }

  // The type of an async method's state machine; 0: it is not an async method.
  TypeId StateMachineOf(ObjectId object) const;
  // <>1__state of an async method: the number of its current await.
  std::optional<int64_t> StateOf(ObjectId box) const;
  // Visits the references that an async method keeps across an await, with their names: parameters,
  // locals, `this`.
  template <typename Fn>
  void ForEachKept(ObjectId box, const Fn& fn) const;

 private:
  struct BoxShape {
    bool is_known = false;
    bool is_object = false;               // the state machine is a separate object (debug builds)
    std::vector<uint32_t> awaiter_slots;  // of the box, or of the separate state machine
    std::vector<uint32_t> kept_slots;
  };

  const BoxShape& ShapeOf(ClassIndex type, std::string_view prefix) const;
  // The object that contains the async method's fields, and its shape.
  std::pair<ObjectId, const BoxShape*> StateMachine(ObjectId box) const;
  bool IsDone(ObjectId task) const;
  bool HasContinuation(ObjectId task) const;
  ObjectId Awaited(ObjectId box) const;
  void Describe(UnfinishedTask& task) const;
  void DescribeDelegate(UnfinishedTask& task, std::optional<int64_t> flags) const;
  void Follow(ObjectId task, ObjectId continuation, ObjectId through, int depth);

  const HeapModel* model_;
  const RuntimeTypes* types_;
  const ObjectFields* fields_;
  ObjectFields::ValueName flags_, id_, state_, boxed_state_, size_;
  ObjectFields::SlotName action_, continuation_, target_, items_, context_, scheduler_,
      continue_task_, wrapped_, state_machine_, task_scheduler_, antecedent_, waited_task_;
  std::vector<UnfinishedTask> tasks_;
  std::vector<Continuation> forward_, backward_;
  uint64_t task_count_ = 0, unknown_count_ = 0;
  size_t list_budget_ = 0;  // entries of continuation lists that may still be inspected
  mutable std::vector<BoxShape> shapes_;  // indexed by class
};

template <typename Fn>
void TaskGraph::ForEachKept(ObjectId box, const Fn& fn) const {
  const auto [holder, shape] = StateMachine(box);
  if (shape == nullptr) return;
  const auto& kept = shape->kept_slots;
  const auto& names = model_->graph.classes()[model_->graph.ClassOf(holder)].slot_names;
  size_t next = 0;
  model_->graph.ForEachReference(holder, [&](uint64_t slot, ObjectId target) {
    while (next < kept.size() && kept[next] < slot) ++next;
    if (next < kept.size() && kept[next] == slot) fn(names[slot], target);
  });
}

}  // namespace hindsight::analyzer
