#include "analyzer/model/thread_snapshots.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

// CPU time is exact to the nanosecond: a thread that has run at all has used some.
bool HasRun(const ThreadInSnapshot& before, const ThreadInSnapshot& now) {
  if (before.cpu_ns != 0 && now.cpu_ns != 0) return before.cpu_ns != now.cpu_ns;
  if (before.switches != 0 && now.switches != 0) return before.switches != now.switches;
  return true;  // nothing proves that it has not
}

}  // namespace

void ThreadSnapshotTracker::Begin(ThreadSnapshot head) {
  Complete();
  open_ = std::move(head);
  open_.threads.clear();
  is_open_ = true;
}

void ThreadSnapshotTracker::Add(uint32_t number, const ThreadInSnapshot& standing) {
  if (!is_open_ || number != open_.number || open_.threads.size() >= kMaxThreads) return;
  ThreadInSnapshot& now = open_.threads.emplace_back(standing);
  now.unchanged_since_ns = open_.at_ns;
  const auto last = last_.find(now.thread);
  if (last == last_.end()) return;
  now.cpu_before_ns = last->second.cpu_ns;
  if (last->second.stack == now.stack && !HasRun(last->second, now)) {
    now.unchanged_since_ns = last->second.unchanged_since_ns;
  }
}

void ThreadSnapshotTracker::Complete() {
  if (!is_open_) return;
  is_open_ = false;
  ++count_;
  pause_ns_ += open_.pause_ns;
  longest_pause_ns_ = std::max(longest_pause_ns_, open_.pause_ns);
  const bool is_whole = open_.threads.size() == open_.announced;
  // Threads that a whole snapshot does not show have ended.
  if (is_whole) last_.clear();
  for (const ThreadInSnapshot& standing : open_.threads) last_[standing.thread] = standing;
  if (!is_whole) return;
  if (!has_first_) {
    first_ = std::move(open_);
    has_first_ = true;
  } else {
    if (has_newest_) Keep(std::move(newest_));
    newest_ = std::move(open_);
    has_newest_ = true;
  }
}

// One that was the newest and is not any more.
void ThreadSnapshotTracker::Keep(ThreadSnapshot snapshot) {
  if (snapshot.trigger == ThreadSnapshot::Trigger::kNoProgress) {
    if (stalled_.threads.size() > largest_.threads.size()) largest_ = std::move(stalled_);
    stalled_ = std::move(snapshot);
  } else if (snapshot.threads.size() > largest_.threads.size()) {
    largest_ = std::move(snapshot);
  }
}

void ThreadSnapshotTracker::Finish(Waits& waits) {
  Complete();
  if (has_first_) waits.snapshots.push_back(std::move(first_));
  const bool stalled_last = stalled_.at_ns >= largest_.at_ns;
  for (ThreadSnapshot* const kept :
       {stalled_last ? &largest_ : &stalled_, stalled_last ? &stalled_ : &largest_}) {
    if (!kept->threads.empty()) waits.snapshots.push_back(std::move(*kept));
  }
  if (has_newest_) waits.snapshots.push_back(std::move(newest_));
  waits.snapshot_count = count_;
  waits.snapshot_pause_ns = pause_ns_;
  waits.longest_snapshot_pause_ns = longest_pause_ns_;
}

}  // namespace hindsight::analyzer
