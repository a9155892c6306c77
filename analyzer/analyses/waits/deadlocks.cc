#include "analyzer/analyses/waits/deadlocks.h"

#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "analyzer/analyses/waits/async_names.h"
#include "analyzer/analyses/waits/deadlock_finder.h"
#include "analyzer/analyses/waits/lock_names.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;

std::string KindName(Kind kind) {
  switch (kind) {
    case Kind::kThread:
      return "thread";
    case Kind::kTask:
      return "task";
    case Kind::kMonitor:
      return "monitor";
    case Kind::kLock:
      return "lock";
    case Kind::kReaderWriter:
      return "reader-writer lock";
    case Kind::kSemaphore:
      return "semaphore";
    case Kind::kMutex:
      return "mutex";
    case Kind::kInitializer:
      return std::string(kClassConstructor);
    case Kind::kContext:
      return "context";
    case Kind::kPool:
      return "pool";
  }
  return {};
}

bool IsLockKind(Kind kind) { return HasOwner(kind) || kind == Kind::kSemaphore; }

// A waiting thread keeps the locks that it holds in locals of the frames that took them.
std::string TakenAt(const HeapWaits& heap, const WaitModel::Thread& thread, ObjectId lock) {
  const auto threads = heap.model().graph.threads();
  const auto index = static_cast<size_t>(&thread - heap.waits().threads.data());
  for (const HeapStackObject& word : threads[index].objects) {
    if (word.object != lock || word.frame == HeapStackObject::kRuntime) continue;
    if (word.frame < thread.call.frames) continue;
    const MethodId method = heap.calls().Site(thread.path, word.frame);
    if (method != 0) return MethodDisplayName(heap.model().dictionaries, method);
  }
  return {};
}

ObjectId ObjectOf(const HeapWaits& heap, uint32_t node) {
  return heap.waits().graph.node(node).object;
}

}  // namespace

WaitSource SourceOf(const HeapWaits& heap) {
  WaitSource source;
  source.waits = &heap.waits();
  source.dictionaries = &heap.model().dictionaries;
  source.calls = &heap.calls();
  std::unordered_set<ObjectId> locks;
  for (uint32_t node = 0; node < heap.waits().graph.nodes().size(); ++node) {
    const WaitNode& entry = heap.waits().graph.node(node);
    if (IsLockKind(entry.kind) && entry.object != kNoObject) locks.insert(entry.object);
  }
  const auto fields = std::make_shared<LockNames>(heap.model(), std::move(locks));
  source.describe = [&heap, fields](uint32_t node) {
    WaitTarget target;
    target.kind = KindName(heap.waits().graph.node(node).kind);
    if (const MethodId method = heap.waits().graph.node(node).initializer; method != 0) {
      const Dictionaries& dictionaries = heap.model().dictionaries;
      target.type = TypeDisplayName(dictionaries, dictionaries.method(method).type);
      return target;
    }
    const ObjectId object = ObjectOf(heap, node);
    if (object == kNoObject) return target;
    target.type = TaskName(heap.model(), heap.tasks(), object);
    target.address = heap.model().graph.Address(object);
    if (IsLockKind(heap.waits().graph.node(node).kind)) target.field = fields->Of(object);
    return target;
  };
  source.is_link = [&heap](uint32_t node) {
    const RuntimeType type = heap.types().Of(ObjectOf(heap, node));
    return type == RuntimeType::kSemaphoreWait || type == RuntimeType::kWhenAll ||
           type == RuntimeType::kWhenAny || type == RuntimeType::kUnwrap ||
           type == RuntimeType::kWaitAsync || type == RuntimeType::kSourceTask ||
           heap.grain_calls().IsCarrier(ObjectOf(heap, node));
  };
  source.async_stack = [&heap](uint32_t node) {
    std::vector<std::string> stack;
    for (const ObjectId task : AwaitingMethods(heap.tasks(), ObjectOf(heap, node))) {
      if (!IsAsyncMethod(heap.types().Of(task))) continue;
      stack.push_back(TaskName(heap.model(), heap.tasks(), task));
    }
    return stack;
  };
  source.places = std::make_shared<Places>(heap.model().dictionaries, heap.model().application);
  source.async_site = [&heap, places = source.places](uint32_t node) {
    ObjectId site = kNoObject;
    for (const ObjectId task : AwaitingMethods(heap.tasks(), ObjectOf(heap, node))) {
      if (!IsAsyncMethod(heap.types().Of(task))) continue;
      if (site == kNoObject) site = task;
      if (!places->kinds().IsYourType(heap.tasks().StateMachineOf(task))) continue;
      site = task;
      break;
    }
    return site == kNoObject ? std::string() : TaskName(heap.model(), heap.tasks(), site);
  };
  source.task_id = [&heap](uint32_t node) {
    const UnfinishedTask* task = heap.tasks().Find(ObjectOf(heap, node));
    return task == nullptr ? 0 : task->id;
  };
  source.is_activity = [&heap](uint32_t node) {
    const UnfinishedTask* task = heap.tasks().Find(ObjectOf(heap, node));
    if (task == nullptr || !IsAsyncMethod(task->type)) return false;
    return task->awaited == kNoObject || !IsAsyncMethod(heap.types().Of(task->awaited)) ||
           task->awaited_is_done;
  };
  source.taken_at = [&heap](const WaitModel::Thread& thread, uint32_t node) {
    return TakenAt(heap, thread, ObjectOf(heap, node));
  };
  return source;
}

DeadlockReport FindDeadlocks(const HeapWaits& heap, const Model* events) {
  DeadlockReport report = FindDeadlocks(SourceOf(heap));
  if (events == nullptr) return report;
  std::map<uint32_t, int64_t> since;  // by OS id: the unfinished wait
  for (const OpenWait& wait : events->waits.open) {
    if (wait.thread < events->threads.size()) {
      since[events->threads[wait.thread].os_id] = wait.start_ns;
    }
  }
  for (Deadlock& deadlock : report.deadlocks) {
    for (DeadlockMember& member : deadlock.members) {
      const auto found = member.os_id ? since.find(*member.os_id) : since.end();
      if (found != since.end()) member.since_ns = found->second;
    }
  }
  return report;
}

}  // namespace hindsight::analyzer
