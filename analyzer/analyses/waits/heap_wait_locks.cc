// Monitors and locks in the wait graph of a heap: who owns them, and which one a thread waits for.
#include <algorithm>
#include <map>
#include <optional>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;
using Needs = WaitNode::Needs;

}  // namespace

void HeapWaits::AddMonitors() {
  for (const HeapMonitor& monitor : model_->graph.monitors()) {
    if (monitor.object >= model_->graph.size()) continue;
    const uint32_t node = NodeOf(monitor.object, Kind::kMonitor);
    auto owner = monitor.owner_os_id == 0 ? std::nullopt : ThreadByOsId(monitor.owner_os_id);
    if (!owner) owner = ThreadByManagedId(monitor.owner_managed_id);
    if (!owner) continue;
    waits_.graph.node(node).needs = Needs::kAll;
    Connect(node, *owner, WaitReason::kOwnerInHeader, Proof::kCertain);
  }
}

// How often each thread has entered each ReaderWriterLockSlim: a list in a thread static.
void HeapWaits::FindReadCounts() {
  for (const HeapStaticField& field : model_->graph.statics()) {
    if (field.thread_os_id == 0 || model_->dictionaries.String(field.field) != "t_rwc") continue;
    const auto thread = ThreadByOsId(field.thread_os_id);
    if (!thread) continue;
    ObjectId count = Static(field);
    constexpr int kMostLocks = 4096;  // of one thread
    for (int i = 0; i < kMostLocks && count != kNoObject; ++i) {
      if (types_.Of(count) != RuntimeType::kReaderCount) break;
      const auto lock = fields_.Get(count, reader_lock_id_);
      if (lock && (fields_.Get(count, reader_count_).value_or(0) > 0 ||
                   fields_.Get(count, upgrade_count_).value_or(0) > 0)) {
        readers_[*lock].push_back(*thread);
      }
      count = fields_.Get(count, reader_next_);
    }
  }
}

void HeapWaits::OwnerIsUnknown(ObjectId lock) {
  if (unowned_.insert(lock).second) ++waits_.counts.unknown_owners;
}

void HeapWaits::ConnectToMonitor(uint32_t thread) {
  const ObjectId reported = model_->graph.threads()[thread].waiting_monitor;
  if (reported != kNoObject) {
    const auto known = nodes_.find(reported);
    if (known == nodes_.end()) return;  // no one holds it
    waits_.graph.node(thread).needs = Needs::kAll;
    if (waits_.graph.node(known->second).needs == Needs::kNothing) OwnerIsUnknown(reported);
    return Connect(thread, known->second, WaitReason::kRuntimeMonitor, Proof::kCertain);
  }
  // Whether it is a monitor that another thread holds.
  const auto monitors = model_->graph.monitors();
  const auto is_other = [&](ObjectId object) {
    const auto found = std::lower_bound(
        monitors.begin(), monitors.end(), object,
        [](const HeapMonitor& monitor, ObjectId id) { return monitor.object < id; });
    if (found == monitors.end() || found->object != object) return false;
    const Thread& self = waits_.threads[thread];
    return (found->owner_os_id != 0 && found->owner_os_id != self.os_id) ||
           (found->owner_os_id == 0 && found->owner_managed_id != 0 &&
            found->owner_managed_id != self.managed_id);
  };
  const Nearest nearest = FindNearest(thread, is_other);
  if (nearest.object == kNoObject) return;
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, nodes_.at(nearest.object), WaitReason::kNearestObject, Proof::kLikely);
}

void HeapWaits::ConnectToLock(uint32_t thread) {
  // A thread does not wait for a lock that it holds.
  const auto is_lock = [&](ObjectId object) {
    return types_.Of(object) == RuntimeType::kLock &&
           fields_.Get(object, owning_thread_) != waits_.threads[thread].os_id;
  };
  const Nearest nearest = FindNearest(thread, is_lock);
  if (nearest.object == kNoObject) return;
  const auto owner = fields_.Get(nearest.object, owning_thread_);
  if (!owner || *owner == 0) {
    if (!owner) OwnerIsUnknown(nearest.object);
    return;  // about to get it, or unknown
  }
  const auto holder = ThreadByOsId(static_cast<uint64_t>(*owner));
  if (!holder || *holder == thread) return;
  const bool is_new = nodes_.count(nearest.object) == 0;
  const uint32_t node = NodeOf(nearest.object, Kind::kLock);
  if (is_new) {
    waits_.graph.node(node).needs = Needs::kAll;
    Connect(node, *holder, WaitReason::kOwnerField, Proof::kCertain);
  }
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, node, WaitReason::kNearestObject,
          nearest.is_only ? Proof::kCertain : Proof::kLikely);
}

// Each waiter has a separate node: a thread that holds the lock for reading and wants it for
// writing does not wait for itself.
void HeapWaits::ConnectToReaderWriter(uint32_t thread) {
  const Nearest nearest = FindNearest(thread, RuntimeType::kReaderWriterLock);
  if (nearest.object == kNoObject) return;
  const ObjectId lock = nearest.object;
  std::vector<std::pair<uint32_t, WaitReason>> holders;
  if (const auto writer = ThreadByManagedId(fields_.Get(lock, write_owner_).value_or(0))) {
    holders.emplace_back(*writer, WaitReason::kOwnerField);
  }
  const auto upgrade = ThreadByManagedId(fields_.Get(lock, upgrade_owner_).value_or(0));
  if (upgrade && waits_.threads[thread].call.writes) {
    holders.emplace_back(*upgrade, WaitReason::kOwnerField);
  }
  const auto id = fields_.Get(lock, lock_id_);
  if (const auto found = id ? readers_.find(*id) : readers_.end(); found != readers_.end()) {
    for (const uint32_t reader : found->second) {
      holders.emplace_back(reader, WaitReason::kReaderCount);
    }
  }
  std::sort(holders.begin(), holders.end());
  std::erase_if(holders, [&](const auto& holder) { return holder.first == thread; });
  const uint32_t node = waits_.graph.Add({.kind = Kind::kReaderWriter, .object = lock});
  if (reader_writers_.insert(lock).second) ++waits_.counts.locks;
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, node, WaitReason::kNearestObject,
          nearest.is_only ? Proof::kCertain : Proof::kLikely);
  if (holders.empty()) {
    OwnerIsUnknown(lock);
    return;
  }
  // All holders have to leave: one that is stuck is enough.
  waits_.graph.node(node).needs = Needs::kAll;
  for (const auto& [holder, reason] : holders) Connect(node, holder, reason, Proof::kCertain);
}

void HeapWaits::FindWaitHandles() {
  const auto waits_for_one = [](const Thread& thread) {
    return thread.call.kind == BlockingCall::Kind::kWaitHandle ||
           thread.call.kind == BlockingCall::Kind::kWaitHandles;
  };
  if (std::ranges::none_of(waits_.threads, waits_for_one)) return;
  for (ObjectId id = 0; id < model_->graph.size(); ++id) {
    if (!IsWaitHandle(types_.Of(id))) continue;
    const ObjectId handle = fields_.Get(id, handle_);
    if (handle != kNoObject) wait_handles_.emplace(handle, id);
  }
}

// WaitOne keeps the SafeWaitHandle for which it waits in a local until it releases it, which
// distinguishes a mutex from anything else. Mutexes on the stack do not: a thread that waits for a
// signal may well hold one.
ObjectId HeapWaits::WaitHandleOf(uint32_t thread) const {
  const Nearest nearest = FindNearest(thread, RuntimeType::kSafeWaitHandle);
  if (!nearest.is_only) return kNoObject;  // none, or several
  const auto found = wait_handles_.find(nearest.object);
  return found == wait_handles_.end() ? kNoObject : found->second;
}

void HeapWaits::ConnectToMutexes() {
  std::map<ObjectId, std::vector<uint32_t>> waiters;
  for (const uint32_t thread : waiters_of_handles_) {
    const ObjectId handle = WaitHandleOf(thread);
    if (handle == kNoObject || types_.Of(handle) != RuntimeType::kMutex) continue;
    waiters[handle].push_back(thread);
  }
  for (const auto& [mutex, threads] : waiters) {
    const uint32_t node = NodeOf(mutex, Kind::kMutex);
    for (const uint32_t thread : threads) {
      waits_.graph.node(thread).needs = Needs::kAll;
      Connect(thread, node, WaitReason::kNearestObject, Proof::kLikely);
    }
    const std::vector<uint32_t> holders = MayHoldMutex(mutex, threads);
    if (holders.empty()) {
      OwnerIsUnknown(mutex);
      continue;  // an object has it in a field, so its owner can proceed
    }
    waits_.graph.node(node).needs = Needs::kAny;
    waits_.graph.node(node).may_be_helped = true;
    for (const uint32_t holder : holders) {
      Connect(node, holder, WaitReason::kMayHold, Proof::kPossible);
    }
  }
}

// Only the kernel and the runtime know the owner of a mutex: a thread that has it further up on its
// stack may be it. A thread that waits for it is not: mutexes are reentrant.
std::vector<uint32_t> HeapWaits::MayHoldMutex(ObjectId mutex,
                                              const std::vector<uint32_t>& waiters) const {
  std::vector<uint32_t> out;
  const auto threads = model_->graph.threads();
  for (uint32_t other = 0; other < threads.size(); ++other) {
    if (std::binary_search(waiters.begin(), waiters.end(), other)) continue;
    const bool keeps = std::any_of(threads[other].objects.begin(), threads[other].objects.end(),
                                   [&](const HeapStackObject& word) {
                                     return word.object == mutex &&
                                            word.frame != HeapStackObject::kRuntime &&
                                            word.frame >= waits_.threads[other].call.frames;
                                   });
    if (keeps) out.push_back(other);
  }
  return out;
}

HeapWaits::Nearest HeapWaits::JoinedThread(uint32_t thread) const {
  return FindNearest(thread, [&](ObjectId object) {
    return types_.Of(object) == RuntimeType::kThread && object != waits_.threads[thread].object;
  });
}

void HeapWaits::ConnectToThread(uint32_t thread) {
  const Nearest nearest = JoinedThread(thread);
  const auto other = by_thread_object_.find(nearest.object);
  if (nearest.object == kNoObject || other == by_thread_object_.end()) return;
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, other->second, WaitReason::kJoin,
          nearest.is_only ? Proof::kCertain : Proof::kLikely);
}

// Which source the callback belongs to is not known: the thread is if it alone runs callbacks.
void HeapWaits::ConnectToCallback(uint32_t thread) {
  const Dictionaries& names = model_->dictionaries;
  const auto runs_callbacks = [&names](const Thread& other) {
    return std::ranges::any_of(other.path, [&names](MethodId id) {
      const Method& method = names.method(id);
      return names.String(method.name) == "ExecuteCallbackHandlers" &&
             names.String(names.type(method.type).name) ==
                 "System.Threading.CancellationTokenSource";
    });
  };
  std::optional<uint32_t> runner;
  for (uint32_t other = 0; other < waits_.threads.size(); ++other) {
    if (other == thread || !runs_callbacks(waits_.threads[other])) continue;
    if (runner) return;
    runner = other;
  }
  if (!runner) return;
  waits_.graph.node(thread).needs = Needs::kAll;
  Connect(thread, *runner, WaitReason::kCallback, Proof::kLikely);
}

}  // namespace hindsight::analyzer
