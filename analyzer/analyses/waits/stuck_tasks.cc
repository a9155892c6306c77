#include "analyzer/analyses/waits/stuck_tasks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/async_names.h"
#include "analyzer/analyses/waits/awaited_ends.h"
#include "analyzer/analyses/waits/awaited_holders.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Awaits = TaskGroup::Awaits;
using Stage = UnfinishedTask::Stage;

constexpr size_t kMostFrames = 64;
constexpr size_t kFewestToTell = 4;  // chains, whether all were moved

// Whether it is a task that no async method and no other task awaits.
bool IsAlone(const HeapWaits& heap, const UnfinishedTask& task) {
  if (task.type != RuntimeType::kTask && task.type != RuntimeType::kOtherTask) return false;
  for (const Continuation& next : heap.tasks().ContinuationsOf(task.object)) {
    if (heap.tasks().IndexOf(next.to)) return false;
  }
  return true;
}

// What a write to a bounded channel awaits while there is no room: as of .NET 10, and before.
bool IsWriteToFullChannel(std::string_view source) {
  return source.starts_with("System.Threading.Channels.BlockedWriteAsyncOperation") ||
         source.starts_with("System.Threading.Channels.VoidAsyncOperationWithData");
}

class TaskFinder {
 public:
  TaskFinder(const HeapWaits& heap, const SlotNames& names, const TaskAwaits* before)
      : heap_(heap),
        model_(heap.model()),
        names_(names),
        before_(before),
        kinds_(heap.model().dictionaries, heap.model().application),
        ends_(heap.tasks()),
        fields_(heap.model()),
        source_of_task_(fields_.Slot("_source")),
        holders_(heap, names) {}

  TaskReport Find() {
    TaskReport report;
    const auto tasks = heap_.tasks().tasks();
    report.tasks = heap_.tasks().task_count();
    report.unfinished = tasks.size();
    report.unknown = heap_.tasks().unknown_count();
    report.lost = FindLostRequests(heap_);
    if (report.unknown > 0) report.notes.push_back(UnknownTasksNote(report.unknown));
    if (before_ != nullptr && HaveAllMoved()) {
      report.notes.push_back("A collection has moved all objects since snapshot " +
                             std::to_string(before_->snapshot) +
                             ": which tasks were already there is not known.");
      report.moved_since = before_->snapshot;
      before_ = nullptr;
    }
    if (before_ != nullptr) {
      report.before = before_->snapshot;
      const uint64_t now = model_.graph.facts.unix_ns;
      report.between_ns = now > before_->unix_ns ? now - before_->unix_ns : 0;
    }
    for (const UnfinishedTask& task : tasks) {
      if (heap_.tasks().IsInnermost(task)) {
        ++report.chains;
        Add(task);
      } else if (IsAlone(heap_, task)) {
        AddAlone(task);
      }
    }
    std::vector<std::set<ObjectId>> events;  // parallel to the groups
    for (auto& [key, entry] : groups_) {
      TaskGroup finished = Finish(entry);
      if (entry.stopped)
        report.shutdown = ShutdownOf(std::move(*entry.stopped), finished, report.between_ns);
      const size_t group = AddTo(report.groups, std::move(finished));
      events.resize(report.groups.size());
      events[group].merge(entry.events);
    }
    for (size_t i = 0; i < events.size(); ++i) report.groups[i].blocked_threads = events[i].size();
    if (report.shutdown) LookIntoService(report.groups, report.between_ns, *report.shutdown);
    if (!report.shutdown) report.ended_services = FindEndedServices(heap_);
    std::stable_sort(report.groups.begin(), report.groups.end(),
                     [](const TaskGroup& a, const TaskGroup& b) {
                       const uint32_t left = a.oldest.value_or(UINT32_MAX);
                       const uint32_t right = b.oldest.value_or(UINT32_MAX);
                       return std::tie(left, b.count) < std::tie(right, a.count);
                     });
    return report;
  }

 private:
  struct Key {
    std::string place;
    ClassIndex awaited = 0;
    ClassIndex holder = 0;  // of the object that holds what is awaited
    ObjectId semaphore = kNoObject;
    Stage stage = Stage::kUnknown;  // of the awaited task, or of the method itself
    bool ends = false;              // what is awaited completes by itself: see AwaitedEnds
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    TaskGroup group;
    const UnfinishedTask* first = nullptr;
    struct Stack {
      uint64_t count = 0;
      std::vector<ObjectId> example;
    };
    std::map<std::vector<ClassIndex>, Stack> stacks;
    std::set<std::pair<uint64_t, int64_t>> awaits;  // of the innermost methods
    std::set<ObjectId> events;  // of threads that block; one thread may wait for many chains
    std::optional<std::string> stopped;  // see StoppedService
  };

  // Merges groups that differ only in what is not reported. Returns the index of the group.
  static size_t AddTo(std::vector<TaskGroup>& groups, TaskGroup group) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const TaskGroup& other) {
      return other.kind == group.kind && other.awaits == group.awaits &&
             other.holder == group.holder && other.place == group.place;
    });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
      return groups.size() - 1;
    }
    if (group.oldest && group.oldest < same->oldest.value_or(UINT32_MAX)) {
      same->oldest = group.oldest;
      same->example = group.example;
    }
    if (group.of_stack > same->of_stack) {
      same->stack = std::move(group.stack);
      same->of_stack = group.of_stack;
      same->is_stack_cut = group.is_stack_cut;
    }
    same->stacks += group.stacks;
    same->count += group.count;
    same->requests += group.requests;
    same->unchanged += group.unchanged;
    same->moved = std::max(same->moved, group.moved);
    same->lost_sight = std::max(same->lost_sight, group.lost_sight);
    return static_cast<size_t>(same - groups.begin());
  }

  void Add(const UnfinishedTask& task) {
    const HeapGraph& graph = model_.graph;
    Key key;
    const std::vector<ObjectId> chain =
        AwaitingMethods(heap_.tasks(), task.object, kMostFrames + 1);
    const ObjectId place = PlaceIn(heap_.tasks(), kinds_, chain);
    key.place = NameOf(place);
    const UnfinishedTask* awaited =
        task.awaited_is_done ? nullptr : heap_.tasks().Find(task.awaited);
    if (task.awaited != kNoObject && !task.awaited_is_done) {
      key.awaited = graph.ClassOf(task.awaited);
      key.stage = awaited == nullptr ? Stage::kUnknown : awaited->stage;
      key.ends = ends_.ByThemselves(task.awaited);
      key.semaphore = heap_.SemaphoreOf(BehindWaitAsync(task.awaited));
      const ObjectId source = heap_.SourceOf(task.awaited);
      if (source != kNoObject) key.holder = graph.ClassOf(heap_.paths().Parent(source));
    } else {
      key.stage = task.stage;
    }
    Entry& entry = groups_[key];
    TaskGroup& group = entry.group;
    if (entry.first == nullptr) {
      entry.first = &task;
      group.example = task.object;
      group.place = NameOf(place);
      group.is_yours = kinds_.IsYourType(heap_.tasks().StateMachineOf(place));
    }
    ++group.count;
    if (IsOfRequest(model_.dictionaries, heap_.tasks(), chain)) ++group.requests;
    AddStack(chain, entry);
    if (!entry.stopped) entry.stopped = StoppedService(model_, heap_.tasks(), chain);
    for (const ObjectId at : chain) {
      const UnfinishedTask* link = heap_.tasks().Find(at);
      if (link == nullptr || link->id == 0) continue;
      group.oldest = std::min(group.oldest.value_or(UINT32_MAX), link->id);
    }
    if (before_ != nullptr) {
      const TaskAwaits::Await at = AwaitOf(heap_, task);
      entry.awaits.emplace(at.method, at.state);
      if (const TaskAwaits::Await* const then = WasThere(task)) {
        ++group.unchanged;
        ++unchanged_[{at.method, at.state}];
        if (MayMove(task.id, *then)) ++unchanged_young_[{at.method, at.state}];
      }
    }
    AddEvents(chain.back(), entry);
  }

  const std::string& NameOf(ObjectId place) {
    const auto [name, is_new] = place_names_.try_emplace(model_.graph.ClassOf(place));
    if (is_new) name->second = TaskName(model_, heap_.tasks(), place);
    return name->second;
  }

  void AddStack(const std::vector<ObjectId>& chain, Entry& entry) const {
    std::vector<ClassIndex> classes;
    for (const ObjectId at : chain) classes.push_back(model_.graph.ClassOf(at));
    Entry::Stack& stack = entry.stacks[std::move(classes)];
    if (stack.count++ == 0) stack.example = chain;
  }

  // The most frequent stack; the first of several.
  void FillStack(Entry& entry) const {
    const auto most = std::max_element(
        entry.stacks.begin(), entry.stacks.end(),
        [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
    if (most == entry.stacks.end()) return;
    TaskGroup& group = entry.group;
    group.stacks = entry.stacks.size();
    group.of_stack = most->second.count;
    group.is_stack_cut = most->second.example.size() > kMostFrames;
    for (const ObjectId at : most->second.example) {
      const bool is_link = !IsAsyncMethod(heap_.types().Of(at));
      if (!is_link) group.stack.push_back(TaskName(model_, heap_.tasks(), at));
    }
  }

  void AddAlone(const UnfinishedTask& task) {
    Key key;
    key.awaited = model_.graph.ClassOf(task.object);
    key.stage = task.stage;
    const ObjectId source = heap_.SourceOf(task.object);
    if (source != kNoObject) key.holder = model_.graph.ClassOf(heap_.paths().Parent(source));
    Entry& entry = groups_[key];
    if (entry.first == nullptr) {
      entry.first = &task;
      entry.group.example = task.object;
    }
    ++entry.group.count;
    if (task.id != 0) {
      entry.group.oldest = std::min(entry.group.oldest.value_or(UINT32_MAX), task.id);
    }
    AddEvents(task.object, entry);
  }

  // Adds the events of threads that block until the task has completed.
  void AddEvents(ObjectId task, Entry& entry) const {
    for (const Continuation& continuation : heap_.tasks().ContinuationsOf(task)) {
      const RuntimeType type = heap_.types().Of(continuation.to);
      if (type == RuntimeType::kWaitEvent || type == RuntimeType::kCountdownEvent) {
        entry.events.insert(continuation.to);
      }
    }
  }

  // Whether the method of no chain is still at its address, as after a collection that has moved
  // everything. Otherwise, at least the loops of a server or a library remain.
  bool HaveAllMoved() const {
    if (before_->by_address.size() < kFewestToTell) return false;
    size_t chains = 0;
    for (const UnfinishedTask& task : heap_.tasks().tasks()) {
      if (task.id != 0 || !heap_.tasks().IsInnermost(task)) continue;
      ++chains;
      const auto found = before_->by_address.find(model_.graph.Address(task.object));
      if (found == before_->by_address.end()) continue;
      if (found->second.method == MethodHash(heap_, task.object)) return false;
    }
    return chains >= kFewestToTell;
  }

  // Null: it was not, or is not recognized.
  const TaskAwaits::Await* WasThere(const UnfinishedTask& task) const {
    const auto& places = task.id != 0 ? before_->by_id : before_->by_address;
    const auto found = places.find(task.id != 0 ? task.id : model_.graph.Address(task.object));
    if (found == places.end()) return nullptr;
    const TaskAwaits::Await now = AwaitOf(heap_, task);
    const bool is_same = task.id != 0 ? StandsAt(found->second, now)
                                      : IsSameChain(found->second, now, before_->collected);
    return is_same ? &found->second : nullptr;
  }

  // What is known by its address, and young: the next collection may move it.
  static bool MayMove(uint32_t id, const TaskAwaits::Await& at) {
    return id == 0 && at.generation <= Generation::kGen1;
  }

  using AwaitCounts = std::map<std::pair<uint64_t, int64_t>, uint64_t>;
  static uint64_t CountOf(const AwaitCounts& counts, const std::pair<uint64_t, int64_t>& await) {
    const auto found = counts.find(await);
    return found == counts.end() ? 0 : found->second;
  }

  // See TaskGroup::moved; call after adding all tasks.
  void CountMoved(const std::pair<uint64_t, int64_t>& await, TaskGroup& group) {
    if (stood_.empty()) {
      for (const auto& [id, at] : before_->by_id) ++stood_[{at.method, at.state}];
      for (const auto& [address, at] : before_->by_address) {
        ++stood_[{at.method, at.state}];
        if (MayMove(0, at)) ++stood_young_[{at.method, at.state}];
      }
    }
    group.moved += CountOf(stood_, await) - CountOf(unchanged_, await);
    group.lost_sight += CountOf(stood_young_, await) - CountOf(unchanged_young_, await);
  }

  TaskGroup Finish(Entry& entry) {
    const UnfinishedTask& task = *entry.first;
    TaskGroup& group = entry.group;
    if (!IsAsyncMethod(task.type)) {
      DescribeAwaited(task.object, group);
      return std::move(group);
    }
    FillStack(entry);
    for (const auto& await : entry.awaits) CountMoved(await, group);
    if (task.awaited == kNoObject || task.awaited_is_done) {
      group.kind = task.stage == Stage::kSuspended && task.awaited == kNoObject ? Awaits::kUnknown
                                                                                : Awaits::kNothing;
      if (task.stage == Stage::kRunning) {
        group.awaits = "nothing: it runs";
      } else if (task.awaited_is_done) {
        group.awaits = "its continuation to run, on a pool thread or in its context";
        group.is_due = true;
      } else {
        group.awaits = "something the snapshot does not show";
      }
      return std::move(group);
    }
    DescribeAwaited(task.awaited, group);
    if (group.kind == Awaits::kTasks && ends_.ByThemselves(task.awaited))
      group.kind = Awaits::kSource;
    return std::move(group);
  }

  // Waits for a semaphore with a CancellationToken or a time limit await Task.WaitAsync of the
  // semaphore's own task.
  ObjectId BehindWaitAsync(ObjectId awaited) const {
    if (heap_.types().Of(awaited) != RuntimeType::kWaitAsync) return awaited;
    const auto antecedents = heap_.tasks().AntecedentsOf(awaited);
    return antecedents.size() == 1 ? antecedents.front().from : awaited;
  }

  HostShutdown ShutdownOf(std::string service, TaskGroup& group, uint64_t between_ns) const {
    group.is_of_shutdown = true;
    return {.snapshot = model_.graph.facts.number,
            .service = std::move(service),
            .awaits = group.kind == Awaits::kNothing ? std::string() : group.awaits,
            .place = {},
            .holder = group.holder,
            .lasts_ns = group.unchanged > 0 ? between_ns : 0};
  }

  // The StopAsync of a BackgroundService awaits its ExecuteAsync, which may well get on.
  static void LookIntoService(const std::vector<TaskGroup>& groups, uint64_t between_ns,
                              HostShutdown& shutdown) {
    const std::string execute = shutdown.service + ".ExecuteAsync";
    const auto its = std::ranges::find_if(groups, [&execute](const TaskGroup& group) {
      return std::ranges::find(group.stack, execute) != group.stack.end();
    });
    if (its == groups.end()) return;
    shutdown.awaits = its->kind == Awaits::kNothing ? std::string() : its->awaits;
    shutdown.place = its->place;
    shutdown.holder = its->holder;
    shutdown.lasts_ns = its->unchanged > 0 ? between_ns : 0;
  }

  void DescribeAwaited(ObjectId awaited, TaskGroup& group) {
    if (const ObjectId wait = BehindWaitAsync(awaited); heap_.SemaphoreOf(wait) != kNoObject) {
      awaited = wait;
    }
    const UnfinishedTask* task = heap_.tasks().Find(awaited);
    const std::string type = TypeDisplayName(
        model_.dictionaries, model_.graph.classes()[model_.graph.ClassOf(awaited)].type);
    if (task == nullptr) return DescribeSource(awaited, group);
    switch (task->type) {
      case RuntimeType::kDelay:
        group.kind = Awaits::kTimer;
        group.awaits = "Task.Delay: a timer";
        return;
      case RuntimeType::kSemaphoreWait:
        group.kind = Awaits::kSemaphore;
        DescribeSemaphore(heap_.SemaphoreOf(awaited), group);
        return;
      case RuntimeType::kWhenAll:
      case RuntimeType::kWhenAny:
        group.kind = Awaits::kTasks;
        group.awaits =
            task->type == RuntimeType::kWhenAll ? "Task.WhenAll of " : "Task.WhenAny of ";
        group.awaits += Plural(heap_.tasks().AntecedentsOf(awaited).size(), "unfinished task");
        return;
      case RuntimeType::kWaitAsync:
        group.kind = Awaits::kTasks;
        group.awaits = "Task.WaitAsync";
        return;
      case RuntimeType::kUnwrap:
        group.kind = Awaits::kTasks;
        group.awaits = "Task.Run of an async delegate";
        return;
      case RuntimeType::kContinuationTask:
        group.kind = Awaits::kTasks;
        group.awaits = "Task.ContinueWith";
        return;
      case RuntimeType::kSourceTask: {
        const ObjectId source = fields_.Get(awaited, source_of_task_);
        return DescribeSource(source == kNoObject ? awaited : source, group);
      }
      default:
        break;
    }
    DescribeTask(awaited, *task, type, group);
  }

  void DescribeSource(ObjectId source, TaskGroup& group) {
    const TypeId type = model_.graph.classes()[model_.graph.ClassOf(source)].type;
    group.kind = Awaits::kSource;
    group.awaits = heap_.types().Of(source) == RuntimeType::kPooledBox
                       ? TaskName(model_, heap_.tasks(), source)
                       : TypeDisplayName(model_.dictionaries, type);
    group.is_library_source = kinds_.OfType(type) != FrameKind::kFramework;
    group.is_full =
        IsWriteToFullChannel(model_.dictionaries.String(model_.dictionaries.type(type).name));
    if (!group.is_full) return;
    group.awaits = "room in a channel that is full, " + group.awaits;
    group.holder = holders_.Of(source);
  }

  void DescribeTask(ObjectId awaited, const UnfinishedTask& task, const std::string& type,
                    TaskGroup& group) {
    if (task.stage != Stage::kPromise) {
      group.kind = Awaits::kDelegate;
      group.awaits = task.stage == Stage::kRunning   ? "a running task"
                     : task.stage == Stage::kQueued  ? "a task waiting for a pool thread"
                     : task.stage == Stage::kUnknown ? "a task; whether it runs was not recorded"
                                                     : "a task that was never started";
      return;
    }
    group.kind = Awaits::kPromise;
    const ObjectId source = heap_.SourceOf(awaited);
    if (source == kNoObject) {
      group.awaits =
          type + " that is not completed, and whose TaskCompletionSource is no longer alive";
      return;
    }
    group.awaits = TypeDisplayName(model_.dictionaries,
                                   model_.graph.classes()[model_.graph.ClassOf(source)].type) +
                   " that is not completed";
    group.holder = holders_.Of(source);
  }

  void DescribeSemaphore(ObjectId semaphore, TaskGroup& group) {
    group.awaits = "SemaphoreSlim.WaitAsync";
    if (semaphore == kNoObject) return;
    if (const auto count = heap_.SemaphoreCount(semaphore)) {
      group.awaits += ", count " + std::to_string(*count);
      group.is_closed = *count == 0;
      group.awaits_lock = group.is_closed && heap_.SemaphoreLimit(semaphore) == 1;
    }
    group.holder = holders_.Of(semaphore);
  }

  const HeapWaits& heap_;
  const HeapModel& model_;
  const SlotNames& names_;
  const TaskAwaits* before_;
  FrameKinds kinds_;
  AwaitedEnds ends_;
  ObjectFields fields_;
  const ObjectFields::SlotName source_of_task_;
  std::map<ClassIndex, std::string> place_names_;
  std::map<Key, Entry> groups_;
  // By the innermost method and its state: chains of the previous snapshot; those still there.
  AwaitCounts stood_, unchanged_;
  AwaitCounts stood_young_, unchanged_young_;  // those of MayMove among them
  AwaitedHolders holders_;
};

}  // namespace

TaskReport FindTasks(const HeapWaits& heap, const SlotNames& names, const TaskAwaits* before,
                     std::span<const ObjectId> dominators) {
  TaskReport report = TaskFinder(heap, names, before).Find();
  report.orphaned = FindOrphanedWaits(heap, dominators);
  return report;
}

}  // namespace hindsight::analyzer
