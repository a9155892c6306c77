#include "analyzer/analyses/waits/orphaned_waits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/async_names.h"
#include "analyzer/analyses/waits/task_graph.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

class Orphans {
 public:
  Orphans(const HeapWaits& heap, std::span<const ObjectId> dominators)
      : heap_(heap),
        dominators_(dominators),
        model_(heap.model()),
        tasks_(heap.tasks()),
        fields_(model_),
        continuation_(fields_.Slot("m_continuationObject")),
        may_be_orphaned_(model_.graph.size()) {
    const auto classes = static_cast<ClassIndex>(model_.graph.classes().size());
    for (ClassIndex type = 0; type < classes; ++type) only_waits_.push_back(OnlyWaits(type));
  }

  std::vector<OrphanedWait> Find() {
    std::vector<const UnfinishedTask*> waits;
    for (const UnfinishedTask& task : tasks_.tasks()) {
      if (!MayBeOrphaned(task)) continue;
      waits.push_back(&task);
      may_be_orphaned_[task.awaited] = true;
    }
    if (waits.empty()) return {};
    LeaveOutWhatIsHeld();
    FrameKinds kinds(model_.dictionaries, model_.application);
    std::map<std::tuple<ClassIndex, ClassIndex, ClassIndex>, OrphanedWait> found;
    for (const UnfinishedTask* task : waits) {
      const std::vector<ObjectId> chain = AwaitingMethods(tasks_, task->object);
      if (!may_be_orphaned_[task->awaited] && !LeadsToItAlone(chain, task->awaited)) continue;
      const OrphanedWait::For what_kind = KindOf(task->awaited);
      const bool blocks_thread = BlocksThread(chain.back());
      if (blocks_thread && what_kind == OrphanedWait::For::kPromise && chain.size() == 1) continue;
      const ObjectId place = PlaceIn(tasks_, kinds, chain), service = ServiceOf(chain);
      const ClassIndex what = model_.graph.ClassOf(task->awaited);
      const ClassIndex whose =
          service == kNoObject ? static_cast<ClassIndex>(-1) : model_.graph.ClassOf(service);
      OrphanedWait& wait = found[{model_.graph.ClassOf(place), whose, what}];
      wait.blocks_thread |= blocks_thread;
      if (wait.count++ > 0) continue;
      wait.what = what_kind;
      if (service != kNoObject) wait.service = NameOf(whose);
      wait.place = TaskName(model_, tasks_, place);
      wait.is_yours = kinds.IsYourType(tasks_.StateMachineOf(place));
      wait.awaits = NameOf(what);
      wait.example = task->object;
    }
    std::vector<OrphanedWait> out;
    for (auto& [key, wait] : found) out.push_back(std::move(wait));
    std::ranges::stable_sort(out, std::greater(), &OrphanedWait::count);
    return out;
  }

 private:
  std::string NameOf(ClassIndex type) const {
    return TypeDisplayName(model_.dictionaries, model_.graph.classes()[type].type);
  }

  bool MayBeOrphaned(const UnfinishedTask& task) const {
    if (task.stage != UnfinishedTask::Stage::kSuspended || task.awaited == kNoObject ||
        task.awaited_is_done || !tasks_.IsInnermost(task)) {
      return false;
    }
    const UnfinishedTask* const awaited = tasks_.Find(task.awaited);
    if (awaited == nullptr) return false;
    using Stage = UnfinishedTask::Stage;
    switch (heap_.types().Of(task.awaited)) {
      case RuntimeType::kTask:
        return awaited->stage == Stage::kPromise || awaited->stage == Stage::kNotStarted;
      case RuntimeType::kUnwrap:
        return awaited->stage == Stage::kPromise;
      case RuntimeType::kWhenAll:
        return tasks_.unknown_count() == 0 && tasks_.AntecedentsOf(task.awaited).empty();
      case RuntimeType::kSemaphoreWait:
        return true;
      default:
        return false;
    }
  }

  OrphanedWait::For KindOf(ObjectId awaited) const {
    switch (heap_.types().Of(awaited)) {
      case RuntimeType::kWhenAll:
        return OrphanedWait::For::kGone;
      case RuntimeType::kSemaphoreWait:
        return OrphanedWait::For::kSemaphore;
      default:
        return tasks_.Find(awaited)->stage == UnfinishedTask::Stage::kNotStarted
                   ? OrphanedWait::For::kNotStarted
                   : OrphanedWait::For::kPromise;
    }
  }

  // Whether every way from a root to what a chain awaits leads through one of its methods. They do
  // not run until then, and whatever could complete it, a timer, I/O, a callback, is reached in
  // another way.
  bool LeadsToItAlone(std::span<const ObjectId> chain, ObjectId awaited) const {
    // What awaits the first of several tasks may go on before.
    const auto any = std::ranges::find_if(chain, [this](ObjectId at) {
      const RuntimeType type = heap_.types().Of(at);
      return type == RuntimeType::kWhenAny || type == RuntimeType::kWaitAsync;
    });
    ObjectId holder = awaited;
    for (size_t steps = 0; steps < kMostHolders && holder < dominators_.size(); ++steps) {
      if (std::find(chain.begin(), any, holder) != any) return true;
      holder = dominators_[holder];
    }
    return false;
  }

  void LeaveOutWhatIsHeld() {
    const HeapGraph& graph = model_.graph;
    for (const HeapRoot& root : graph.roots()) may_be_orphaned_[root.object] = false;
    for (const HeapDependent& dependent : graph.dependents())
      may_be_orphaned_[dependent.value] = false;
    for (ObjectId id = 0; id < graph.size(); ++id) {
      if (!heap_.paths().IsReachable(id)) continue;
      const ClassIndex type = graph.ClassOf(id);
      if (!only_waits_[type]) {
        for (const ObjectId target : graph.References(id)) may_be_orphaned_[target] = false;
      } else if (IsAsyncMethod(heap_.types().OfClass(type))) {
        const ObjectId completed = fields_.Get(id, continuation_);  // by its end
        if (completed != kNoObject) may_be_orphaned_[completed] = false;
      }
    }
  }

  // What awaits a task refers to it, and a BackgroundService to the task of its ExecuteAsync:
  // neither can complete it. Whatever else refers to it may.
  bool OnlyWaits(ClassIndex type) const {
    const RuntimeType of = heap_.types().OfClass(type);
    if (IsAsyncMethod(of) || of == RuntimeType::kBackgroundService) return true;
    // In debug builds, the state of an async method is an object of its own.
    const Dictionaries& names = model_.dictionaries;
    return naming::IsStateMachineType(
        names.String(names.type(model_.graph.classes()[type].type).name));
  }

  bool BlocksThread(ObjectId outermost) const {
    return std::ranges::any_of(
        tasks_.ContinuationsOf(outermost), [this](const Continuation& continuation) {
          const RuntimeType type = heap_.types().Of(continuation.to);
          return type == RuntimeType::kWaitEvent || type == RuntimeType::kCountdownEvent;
        });
  }

  ObjectId ServiceOf(std::span<const ObjectId> chain) const {
    ObjectId service = kNoObject;
    for (const ObjectId method : chain) {
      tasks_.ForEachKept(method, [&](StringId, ObjectId target) {
        if (heap_.types().Of(target) == RuntimeType::kBackgroundService) service = target;
      });
    }
    return service;
  }

  static constexpr size_t kMostHolders = 1000;  // looked at, one after the other

  const HeapWaits& heap_;
  const std::span<const ObjectId> dominators_;
  const HeapModel& model_;
  const TaskGraph& tasks_;
  ObjectFields fields_;
  const ObjectFields::SlotName continuation_;
  std::vector<bool> only_waits_;       // indexed by class
  std::vector<bool> may_be_orphaned_;  // by object: what is awaited, until a holder is found
};

}  // namespace

std::vector<OrphanedWait> FindOrphanedWaits(const HeapWaits& heap,
                                            std::span<const ObjectId> dominators) {
  return Orphans(heap, dominators).Find();
}

}  // namespace hindsight::analyzer
