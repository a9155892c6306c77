// Deadlocks without a heap: waits that began and did not end, with the owners that the runtime
// reported at their beginning, and what threads waited for at the last look at the threads.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/analyses/waits/deadlock_finder.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;
using Needs = WaitNode::Needs;

class EventWaits {
 public:
  EventWaits(const Model& model, const DeadlockRules& rules) : model_(model), rules_(rules) {
    FindOpen();
    AddSeen();
    for (const OpenWait& wait : open_) ThreadOf(wait.thread);
    for (const OpenWait& wait : open_) {
      if (wait.owner != 0) ThreadOf(wait.owner);
    }
    AddStacks();
    AddLocks();
    waits_.graph.Finish();
    waits_.counts.threads = std::max<uint64_t>(waits_.threads.size(), SnapshotThreads());
    CountUnjudged();
    waits_.counts.looks = model_.waits.snapshots.empty() ? 0 : model_.waits.snapshot_count;
    waits_.notes.push_back(
        waits_.counts.looks == 0
            ? "There is no snapshot: only waits for monitors and locks that began during the "
              "recording are known, and no tasks."
            : "There is no heap snapshot: owners of locks other than monitors are known only for "
              "waits that began during the recording, and tasks are not known.");
    if (waits_.counts.unknown_owners > 0) {
      waits_.notes.push_back("The owner of " + Plural(waits_.counts.unknown_owners, "lock") +
                             " that threads wait for is unknown.");
    }
  }

  WaitModel& waits() { return waits_; }

 private:
  static bool IsLockWait(const OpenWait& wait) {
    return wait.lock != 0 && (wait.kind == WaitKind::kMonitor || wait.kind == WaitKind::kLock);
  }

  // A wait whose end was lost looks as if it lasted: what the thread did later is more reliable.
  void FindOpen() {
    std::unordered_map<ThreadIndex, size_t> newest;
    std::unordered_map<ThreadIndex, const ThreadInSnapshot*> threads;
    int64_t snapshot_ns = INT64_MIN;
    if (!model_.waits.snapshots.empty()) {
      const ThreadSnapshot& snapshot = model_.waits.snapshots.back();
      snapshot_ns = snapshot.at_ns;
      for (const ThreadInSnapshot& thread : snapshot.threads) {
        threads.emplace(thread.thread, &thread);
      }
    }
    for (const OpenWait& wait : model_.waits.open) {
      const bool is_known = wait.thread != 0 && wait.thread < model_.threads.size();
      if (!IsLockWait(wait) || !is_known || model_.threads[wait.thread].has_end) continue;
      const auto thread = threads.find(wait.thread);
      if (snapshot_ns > wait.start_ns && thread != threads.end() &&
          HasMovedOn(wait, *thread->second)) {
        continue;
      }
      const auto [place, is_first] = newest.try_emplace(wait.thread, open_.size());
      if (is_first) {
        open_.push_back(wait);
      } else if (wait.start_ns > open_[place->second].start_ns) {
        open_[place->second] = wait;
      }
    }
  }

  // What threads waited for at the last look also covers waits from before the recording, and is
  // newer than the events of waits that began before the look.
  void AddSeen() {
    if (model_.waits.snapshots.empty()) return;
    const ThreadSnapshot& snapshot = model_.waits.snapshots.back();
    std::unordered_map<ThreadIndex, size_t> places;
    for (size_t i = 0; i < open_.size(); ++i) places.emplace(open_[i].thread, i);
    for (const ThreadInSnapshot& thread : snapshot.threads) {
      if (thread.waits_for == 0 || model_.threads[thread.thread].has_end) continue;
      const auto [place, is_new] = places.try_emplace(thread.thread, open_.size());
      if (is_new) {
        open_.emplace_back();
      } else if (open_[place->second].start_ns > snapshot.at_ns) {
        continue;
      }
      OpenWait& wait = open_[place->second];
      if (is_new || wait.lock != thread.waits_for) {
        wait = {.kind = WaitKind::kMonitor,
                .thread = thread.thread,
                .lock = thread.waits_for,
                .stack = thread.stack,
                .start_ns = thread.unchanged_since_ns};
        if (thread.unchanged_since_ns <= model_.waits.snapshots.front().at_ns) {
          began_unseen_.insert(thread.thread);
        }
      }
      wait.owner = thread.lock_owner;
      seen_.insert(thread.thread);
    }
  }

  // Counts threads that waited for an unknown lock or task, and owners that waited for anything.
  void CountUnjudged() {
    if (model_.waits.snapshots.empty()) return;
    using Call = BlockingCall::Kind;
    for (const ThreadInSnapshot& thread : model_.waits.snapshots.back().threads) {
      if (std::ranges::find(open_, thread.thread, &OpenWait::thread) != open_.end()) continue;
      const std::vector<MethodId> path = model_.dictionaries.Path(thread.stack);
      const BlockingCall call = calls_.Find(path);
      if (threads_.contains(thread.thread)) {
        const bool waits = call.kind != Call::kNone && call.kind != Call::kSleep;
        if (waits && thread.state != ThreadRunState::kRunning) ++waits_.counts.unjudged_threads;
        continue;
      }
      const bool is_task = call.kind == Call::kTask || call.kind == Call::kTasks;
      // A program's Main waits for the end in a task; nothing waits for Main.
      const bool is_main = model_.IsMainThread(thread.thread);
      const bool awaits_work = calls_.CollectionOf(path, call) == BlockingCalls::Collection::kItem;
      if (call.is_lock() || (is_task && !is_main) ||
          (call.kind == Call::kSemaphore && !awaits_work)) {
        ++waits_.counts.unjudged_threads;
      }
    }
  }

  bool HasMovedOn(const OpenWait& wait, const ThreadInSnapshot& thread) const {
    if (thread.state == ThreadRunState::kRunning) return true;
    if (wait.stack == 0 || thread.stack == 0) return false;
    return CallersOf(wait.stack) != CallersOf(thread.stack);
  }

  // The path without the framework's own frames at its top, which vary from moment to moment.
  std::vector<MethodId> CallersOf(StackId stack) const {
    std::vector<MethodId> path = model_.dictionaries.Path(stack);
    const auto caller = std::find_if(
        path.begin(), path.end(), [this](MethodId method) { return !calls_.IsThreading(method); });
    path.erase(path.begin(), caller);
    return path;
  }

  uint64_t SnapshotThreads() const {
    const auto& snapshots = model_.waits.snapshots;
    return snapshots.empty() ? 0 : snapshots.back().threads.size();
  }

  uint32_t ThreadOf(ThreadIndex thread) {
    const auto [place, is_new] =
        threads_.try_emplace(thread, static_cast<uint32_t>(waits_.threads.size()));
    if (!is_new) return place->second;
    const ThreadInfo& info = model_.threads[thread];
    WaitModel::Thread entry;
    entry.os_id = info.os_id;
    entry.name = info.name;
    waits_.threads.push_back(std::move(entry));
    waits_.graph.Add({.kind = Kind::kThread, .thread = place->second});
    return place->second;
  }

  // The stack of the wait itself; for other threads, that of the newest snapshot.
  void AddStacks() {
    if (!model_.waits.snapshots.empty()) {
      for (const ThreadInSnapshot& thread : model_.waits.snapshots.back().threads) {
        const auto found = threads_.find(thread.thread);
        if (found != threads_.end()) SetStack(found->second, thread.stack);
      }
    }
    for (const OpenWait& wait : open_) {
      const auto found = threads_.find(wait.thread);
      if (wait.stack != 0) SetStack(found->second, wait.stack);
      if (!began_unseen_.contains(wait.thread)) {
        waits_.threads[found->second].since_ns = wait.start_ns;
      }
      // Monitor.TryEnter and Lock.TryEnter show in the frames, if these are known.
      BlockingCall& call = waits_.threads[found->second].call;
      if (call.kind == BlockingCall::Kind::kNone) call.endless = true;
      ++waits_.counts.blocked_threads;
    }
  }

  void SetStack(uint32_t thread, StackId stack) {
    WaitModel::Thread& entry = waits_.threads[thread];
    entry.stack = stack;
    entry.path = model_.dictionaries.Path(stack);
    entry.call = calls_.Find(entry.path);
  }

  struct Owner {
    ThreadIndex thread = 0;
    int64_t named_ns = INT64_MIN;
    bool was_seen = false;
  };

  // The owner of each lock, if it still has it. Those reported before an owner that has released
  // the lock released it even earlier.
  std::map<uint64_t, Owner> FindOwners() const {
    std::map<uint64_t, Owner> owners;
    std::unordered_map<ThreadIndex, uint64_t> waits_for;
    for (const OpenWait& wait : open_) {
      waits_for.emplace(wait.thread, wait.lock);
      Owner& owner = owners[wait.lock];
      const bool was_seen = seen_.contains(wait.thread);
      const int64_t named_ns = was_seen ? model_.waits.snapshots.back().at_ns : wait.start_ns;
      // One look saw that nobody has it, though not yet who gets it.
      const bool is_free = was_seen && wait.owner == 0;
      if (is_free && named_ns >= owner.named_ns) owner = {0, named_ns + 1, true};
      if (wait.owner != 0 && named_ns >= owner.named_ns) {
        owner = {wait.owner, named_ns, was_seen};
      }
    }
    for (auto& [lock, owner] : owners) {
      // Monitors and Locks are reentrant: an owner that waits for it no longer has it.
      const auto own = waits_for.find(owner.thread);
      if (own != waits_for.end() && own->second == lock) owner.thread = 0;
    }
    return owners;
  }

  // An owner that was already waiting when it was reported still has the lock, because it cannot
  // release it while it waits.
  void AddLocks() {
    const std::map<uint64_t, Owner> owners = FindOwners();
    std::map<uint64_t, uint32_t> nodes;
    // If events were lost, a wait may have ended.
    const Proof proof = model_.losses.DroppedEvents() == 0 ? Proof::kCertain : Proof::kLikely;
    for (const OpenWait& wait : open_) {
      const uint32_t waiter = ThreadOf(wait.thread);
      const auto [place, is_new] = nodes.try_emplace(wait.lock, 0);
      if (is_new) place->second = AddLock(wait, owners.at(wait.lock));
      waits_.graph.node(waiter).needs = Needs::kAll;
      const bool was_seen = seen_.contains(wait.thread);
      waits_.graph.Connect({waiter, place->second, was_seen ? Proof::kCertain : proof,
                            was_seen ? WaitReason::kRuntimeMonitor : WaitReason::kLockWait});
    }
  }

  uint32_t AddLock(const OpenWait& wait, const Owner& owner) {
    const uint32_t node = waits_.graph.Add(
        {.kind = wait.kind == WaitKind::kLock ? Kind::kLock : Kind::kMonitor, .lock = wait.lock});
    ++waits_.counts.locks;
    if (owner.thread == 0) {
      ++waits_.counts.unknown_owners;
      return node;
    }
    const uint32_t thread = ThreadOf(owner.thread);
    const auto& since = waits_.threads[thread].since_ns;
    if (owner.was_seen) {
      const bool was_seen = seen_.contains(owner.thread);
      // The owner has moved on since the look, and may have released the lock; no event reports the
      // end of a wait that began before the recording. A wait for a monitor that the look did not
      // see did not exist then.
      const auto its = std::ranges::find(open_, owner.thread, &OpenWait::thread);
      const bool is_monitor = its != open_.end() && its->kind == WaitKind::kMonitor;
      if (!was_seen && since && (is_monitor || *since > owner.named_ns)) {
        ++waits_.counts.unknown_owners;
        return node;
      }
      waits_.graph.node(node).needs = Needs::kAll;
      // One look saw everything: an owner that waited at that moment had the lock, any other may
      // have released it since.
      waits_.graph.Connect(
          {node, thread, was_seen ? Proof::kCertain : Proof::kLikely, WaitReason::kOwnerInHeader});
      return node;
    }
    // A lock that was just released, for a thread that is not awake yet, still names the one that
    // had it.
    const bool waited_already = began_unseen_.contains(owner.thread) ||
                                (since && owner.named_ns - *since >= rules_.surely_awake_ns);
    // It may have just released the lock, and the thread that this wakes up is not reported yet.
    if (!waited_already && since && model_.facts.last_ns - *since < rules_.surely_awake_ns) {
      return node;
    }
    waits_.graph.node(node).needs = Needs::kAll;
    waits_.graph.Connect({node, thread, waited_already ? Proof::kCertain : Proof::kLikely,
                          WaitReason::kOwnerInEvent});
    return node;
  }

  const Model& model_;
  const DeadlockRules rules_;
  std::vector<OpenWait> open_;  // for locks, one per thread
  BlockingCalls calls_{model_.dictionaries};
  WaitModel waits_;
  std::unordered_map<ThreadIndex, uint32_t> threads_;
  std::unordered_set<ThreadIndex> seen_;          // waited for a monitor at the last look
  std::unordered_set<ThreadIndex> began_unseen_;  // likewise, and already did so at the first look
};

}  // namespace

DeadlockReport FindDeadlocks(const Model& events, const DeadlockRules& rules) {
  EventWaits found(events, rules);
  const WaitModel& waits = found.waits();
  const BlockingCalls calls(events.dictionaries);
  WaitSource source;
  source.waits = &waits;
  source.dictionaries = &events.dictionaries;
  source.calls = &calls;
  source.describe = [&](uint32_t node) {
    const WaitNode& entry = waits.graph.node(node);
    WaitTarget target;
    target.kind = entry.kind == Kind::kLock ? "lock" : "monitor";
    target.lock = entry.lock;
    return target;
  };
  source.is_link = [](uint32_t) { return false; };
  source.async_stack = [](uint32_t) { return std::vector<std::string>(); };
  source.async_site = [](uint32_t) { return std::string(); };
  source.places = std::make_shared<Places>(events);
  source.task_id = [](uint32_t) { return 0u; };
  source.is_activity = [](uint32_t) { return false; };
  source.taken_at = [](const WaitModel::Thread&, uint32_t) { return std::string(); };
  return FindDeadlocks(source);
}

}  // namespace hindsight::analyzer
