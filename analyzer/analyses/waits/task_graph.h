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

// What goes on when `from` completes.
struct Continuation {
  ObjectId from = kNoObject;     // a task
  ObjectId to = kNoObject;       // a task, or the event that a thread sleeps on
  ObjectId through = kNoObject;  // SynchronizationContext or TaskScheduler that runs it, if any
};

struct UnfinishedTask {
  enum class Stage : uint8_t {
    kUnknown,
    kNotStarted,  // of a delegate: nobody has called Start
    kQueued,      // of a delegate: started, and not run so far
    kRunning,
    kSuspended,  // an async method at an await
    kPromise,    // completed by others
  };
  ObjectId object = kNoObject;
  RuntimeType type = RuntimeType::kOther;
  Stage stage = Stage::kUnknown;
  uint32_t id = 0;  // Task.Id; 0: it was never asked for
  // What it awaits, if that is known: a task, or any other object that can be awaited.
  ObjectId awaited = kNoObject;
  bool awaited_is_done = false;  // its rest is about to run, or would have to
  // What its rest, or its delegate, has to run on: a SynchronizationContext or a TaskScheduler.
  ObjectId runs_on = kNoObject;
};

class TaskGraph {
 public:
  // All outlive this. Tasks that no root reaches are garbage, and left out.
  TaskGraph(const HeapModel& model, const RootPaths& paths, const RuntimeTypes& types,
            ObjectFields& fields);

  std::span<const UnfinishedTask> tasks() const { return tasks_; }          // by object
  std::span<const Continuation> continuations() const { return forward_; }  // by from
  // nullptr: finished, not reachable, or no task.
  const UnfinishedTask* Find(ObjectId object) const;
  std::optional<size_t> IndexOf(ObjectId object) const;

  std::span<const Continuation> ContinuationsOf(ObjectId task) const;
  // Those that lead to `object`: the tasks that it waits for.
  std::span<const Continuation> AntecedentsOf(ObjectId object) const;

  // Of all tasks that are reachable, finished ones too.
  uint64_t task_count() const { return task_count_; }
  uint64_t unknown_count() const { return unknown_count_; }  // whose state was not recorded

  // The type of the state machine of an async method; 0: it is none.
  TypeId StateMachineOf(ObjectId object) const;
  // <>1__state of an async method: the number of the await that it stands at.
  std::optional<int64_t> StateOf(ObjectId box) const;
  // References that an async method keeps over an await: parameters, locals, `this`.
  template <typename Fn>
  void ForEachKept(ObjectId box, const Fn& fn) const;

 private:
  struct BoxShape {
    bool is_known = false;
    bool is_object = false;  // the state machine is an object of its own (debug builds)
    std::vector<uint32_t> awaiter_slots;  // of the box, or of the state machine's object
    std::vector<uint32_t> kept_slots;
  };

  const BoxShape& ShapeOf(ClassIndex type, std::string_view prefix) const;
  // The object that has the fields of the async method, and its shape.
  std::pair<ObjectId, const BoxShape*> StateMachine(ObjectId box) const;
  bool IsDone(ObjectId task) const;
  ObjectId Awaited(ObjectId box) const;
  void Describe(UnfinishedTask& task) const;
  void DescribeDelegate(UnfinishedTask& task, int64_t flags) const;
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
  size_t list_budget_ = 0;  // entries of lists of continuations that may still be looked at
  mutable std::vector<BoxShape> shapes_;  // by class
};

template <typename Fn>
void TaskGraph::ForEachKept(ObjectId box, const Fn& fn) const {
  const auto [holder, shape] = StateMachine(box);
  if (shape == nullptr) return;
  const auto& kept = shape->kept_slots;
  size_t next = 0;
  model_->graph.ForEachReference(holder, [&](uint64_t slot, ObjectId target) {
    while (next < kept.size() && kept[next] < slot) ++next;
    if (next < kept.size() && kept[next] == slot) fn(slot, target);
  });
}

}  // namespace hindsight::analyzer
