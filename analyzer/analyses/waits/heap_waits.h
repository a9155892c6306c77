// The wait graph of a heap snapshot: from the threads' stacks, the monitors, and the fields of
// locks, tasks and contexts.
//
// Every edge is stated by the runtime or by a field of the framework, or is marked as less certain.
// Whatever is not recognized counts as able to proceed, so nothing gets stuck because of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/deadlock_rules.h"
#include "analyzer/analyses/waits/grain_calls.h"
#include "analyzer/analyses/waits/object_fields.h"
#include "analyzer/analyses/waits/runtime_types.h"
#include "analyzer/analyses/waits/task_graph.h"
#include "analyzer/analyses/waits/wait_graph.h"
#include "analyzer/analyses/waits/wait_model.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// About TaskGraph::unknown_count: "state of 3 tasks was not recorded".
std::string UnknownTasks(uint64_t count);
// The same as a note.
std::string UnknownTasksNote(uint64_t count);

// One snapshot with everything that was looked up in it. Memory: 50 bytes per task and edge.
class HeapWaits {
 public:
  // Both must outlive this.
  HeapWaits(const HeapModel& model, const RootPaths& paths, const DeadlockRules& rules = {});

  const HeapModel& model() const { return *model_; }
  const RootPaths& paths() const { return *paths_; }
  const RuntimeTypes& types() const { return types_; }
  const ObjectFields& fields() const { return fields_; }
  const TaskGraph& tasks() const { return tasks_; }
  const GrainCalls& grain_calls() const { return grain_calls_; }
  const BlockingCalls& calls() const { return calls_; }
  const WaitModel& waits() const { return waits_; }

  // The node in waits().graph of the task with this index in tasks().
  uint32_t NodeOfTask(size_t index) const { return first_task_ + static_cast<uint32_t>(index); }
  // The semaphore that a SemaphoreSlim.WaitAsync waits for; kNoObject: not found.
  ObjectId SemaphoreOf(ObjectId wait) const;
  // The TaskCompletionSource that can complete the task; kNoObject: none is alive.
  ObjectId SourceOf(ObjectId task) const;
  std::optional<int64_t> SemaphoreCount(ObjectId semaphore) const {
    return fields_.Get(semaphore, count_);
  }
  // Work items of all kinds in the queues of the thread pool. 0 also if these were not found.
  uint64_t queued_in_pool() const { return queued_in_pool_; }
  // How many it lets in at most; a limit of 1 makes it a lock, a signal has none.
  std::optional<int64_t> SemaphoreLimit(ObjectId semaphore) const {
    return fields_.Get(semaphore, max_count_);
  }

  // The object for which `is_it` is true and that is nearest to the top of the stack, in the frames
  // of the blocking call and its caller. `is_only`: there is no other one in the call's own frames.
  struct Nearest {
    ObjectId object = kNoObject;
    bool is_only = false;
  };
  Nearest FindNearest(uint32_t thread, const std::function<bool(ObjectId)>& is_it) const;
  Nearest FindNearest(uint32_t thread, RuntimeType type) const {
    return FindNearest(thread, [&](ObjectId object) { return types_.Of(object) == type; });
  }
  // For whose end the thread waits in Thread.Join.
  Nearest JoinedThread(uint32_t thread) const;
  // The mutex, event or the like for which the thread waits in WaitOne; kNoObject: not found.
  ObjectId WaitHandleOf(uint32_t thread) const;

 private:
  using Thread = WaitModel::Thread;

  void AddThreads();
  void AddMonitors();
  void AddTasks();
  void ConnectThread(uint32_t thread);
  void OwnerIsUnknown(ObjectId lock);
  void ConnectToMonitor(uint32_t thread);
  void ConnectToLock(uint32_t thread);
  void ConnectToReaderWriter(uint32_t thread);
  void ConnectToSemaphore(uint32_t thread);
  void FindWaitHandles();
  void ConnectToMutexes();
  std::vector<uint32_t> MayHoldMutex(ObjectId mutex, const std::vector<uint32_t>& waiters) const;
  void ConnectToThread(uint32_t thread);
  void ConnectToCallback(uint32_t thread);
  void AddInitializers();
  void ConnectToInitializers(uint32_t thread);
  void ConnectToTasks(uint32_t thread);
  void ConnectTask(size_t index);
  void ConnectPending(size_t index);
  void ConnectToRunner(size_t index);
  void ConnectToCall(size_t index, ObjectId source);
  void ConnectToContext(uint32_t from, ObjectId context, WaitReason reason);
  bool KeepsWork(ObjectId context) const;
  void ConnectToScheduler(size_t index);
  void ConnectAntecedents(size_t index, WaitNode::Needs needs);
  void FindReadCounts();
  void FindSources();
  void FindSemaphoreWaits();
  void FindRunners();
  bool IsExecuting(MethodId frame) const;
  void FindQueues();
  void JudgeSemaphores();

  // What waits for a semaphore, and in which methods: async ones with the number of the await.
  struct SemaphoreWaiters {
    std::vector<ObjectId> boxes, waits;  // ascending; the waits are the semaphore's own tasks
    std::vector<uint32_t> threads;
    std::unordered_map<StringId, int64_t> states;  // by the state machine's name
    std::vector<MethodId> methods;                 // ascending
    std::unordered_set<std::string_view> classes;  // to which these belong
  };
  struct SemaphoreHolders;
  SemaphoreWaiters WaitersOf(uint32_t node) const;
  SemaphoreHolders FindHolders() const;
  void AddFrames(SemaphoreHolders& out) const;
  bool IsSignalOwner(ObjectId object) const;
  void AddHolders(uint32_t node, const SemaphoreHolders& holders);

  struct QueuedWork {
    std::vector<ObjectId> tasks;  // and async methods
    uint64_t items = 0;           // of all kinds: elements of the queues' arrays
  };
  // What is in queues to which `from` refers through the framework's own objects.
  QueuedWork QueuedBelow(ObjectId from);
  bool IsFrameworks(ObjectId object) const;
  bool IsWorkItem(ObjectId object) const;
  ObjectId Static(const HeapStaticField& field) const;  // what the field refers to

  uint32_t NodeOf(ObjectId object, WaitNode::Kind kind);
  uint32_t PoolNode();
  std::optional<uint32_t> ThreadByOsId(uint64_t os_id) const;
  std::optional<uint32_t> ThreadByManagedId(int64_t managed_id) const;
  void Connect(uint32_t from, uint32_t to, WaitReason reason, Proof proof);

  const HeapModel* model_;
  const RootPaths* paths_;
  DeadlockRules rules_;
  ObjectFields fields_;
  RuntimeTypes types_;
  TaskGraph tasks_;
  GrainCalls grain_calls_;
  BlockingCalls calls_;
  WaitModel waits_;
  uint32_t first_task_ = 0;
  uint32_t pool_ = UINT32_MAX;
  size_t queue_budget_ = size_t{16} << 20;  // references that may still be inspected in queues

  ObjectFields::ValueName count_, max_count_, owning_thread_, write_owner_, upgrade_owner_,
      lock_id_, reader_lock_id_, reader_count_, upgrade_count_, managed_id_, clr_thread_,
      max_threads_;
  ObjectFields::SlotName sync_context_, event_lock_, semaphore_lock_, async_head_, next_,
      reader_next_, source_task_, context_of_scheduler_, target_, handle_, source_;

  std::unordered_map<ObjectId, uint32_t> nodes_;  // of locks and contexts
  std::unordered_map<uint64_t, uint32_t> by_os_id_, by_managed_id_;
  std::unordered_map<ObjectId, uint32_t> by_thread_object_;
  std::unordered_map<int64_t, std::vector<uint32_t>> readers_;  // threads, by _lockID
  std::unordered_set<ObjectId> reader_writers_;                 // waited for
  std::unordered_set<ObjectId> unowned_;                        // waited for, owner unknown
  std::unordered_map<ObjectId, ObjectId> semaphores_;           // by the wait's task
  std::unordered_map<ObjectId, ObjectId> sources_;              // by task
  std::unordered_map<ObjectId, uint32_t> runners_;              // threads, by task
  std::unordered_map<ObjectId, ObjectId> queued_in_;            // contexts, by task
  std::vector<uint32_t> waiters_of_handles_;                    // threads in WaitOne
  std::unordered_map<ObjectId, ObjectId> wait_handles_;         // by their SafeWaitHandle
  std::unordered_map<uint32_t, uint32_t> initializers_;         // nodes, by the thread
  std::vector<ObjectId> tasks_in_pool_;                         // queued there, ascending
  uint64_t queued_in_pool_ = 0;
};

}  // namespace hindsight::analyzer
