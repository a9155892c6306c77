#include "analyzer/analyses/overview/explained_waits.h"

namespace hindsight::analyzer {

ExplainedWaits::ExplainedWaits(const Model& model, const std::vector<Deadlock>& deadlocks) {
  std::unordered_set<uint32_t> stuck;
  for (const Deadlock& deadlock : deadlocks) {
    for (const DeadlockMember& member : deadlock.members) {
      if (member.os_id) stuck.insert(*member.os_id);
    }
    stuck.insert(deadlock.victim_threads.begin(), deadlock.victim_threads.end());
    if (deadlock.cause.lock != 0) locks_.insert(deadlock.cause.lock);
  }
  if (stuck.empty() && locks_.empty()) return;
  for (ThreadIndex thread = 1; thread < model.threads.size(); ++thread) {
    const ThreadInfo& info = model.threads[thread];
    // The system reuses the ids of threads that have ended.
    if (!info.has_end && stuck.contains(info.os_id)) threads_.insert(thread);
  }
  for (bool is_news = true; is_news;) {
    is_news = false;
    for (const OpenWait& wait : model.waits.open) {
      const bool is_lock = wait.kind == WaitKind::kMonitor || wait.kind == WaitKind::kLock;
      if (is_lock) is_news |= Take(wait.thread, wait.lock, wait.owner);
    }
    if (model.waits.snapshots.empty()) continue;
    for (const ThreadInSnapshot& thread : model.waits.snapshots.back().threads) {
      if (thread.waits_for != 0)
        is_news |= Take(thread.thread, thread.waits_for, thread.lock_owner);
    }
  }
}

bool ExplainedWaits::Take(ThreadIndex thread, uint64_t lock, ThreadIndex owner) {
  if (thread == 0 || lock == 0) return false;
  if (!threads_.contains(thread) && !locks_.contains(lock) && !threads_.contains(owner)) {
    return false;
  }
  const bool is_new_thread = threads_.insert(thread).second;
  return locks_.insert(lock).second || is_new_thread;
}

}  // namespace hindsight::analyzer
