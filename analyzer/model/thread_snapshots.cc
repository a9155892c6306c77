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

void ThreadSnapshotTracker::Add(uint32_t number, const ThreadInSnapshot& thread) {
  if (!is_open_ || number != open_.number || open_.threads.size() >= kMaxThreads) return;
  ThreadInSnapshot& now = open_.threads.emplace_back(thread);
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
  if (is_whole) {
    SumRuns();
    intervals_.Add(open_);
  }
  // Threads that a complete snapshot does not show have ended.
  if (is_whole) last_.clear();
  for (const ThreadInSnapshot& thread : open_.threads) last_[thread.thread] = thread;
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

void ThreadSnapshotTracker::SumRuns() {
  const bool has_ready =
      std::any_of(open_.threads.begin(), open_.threads.end(),
                  [](const ThreadInSnapshot& thread) { return thread.ready_ns != 0; });
  const double interval = static_cast<double>(open_.at_ns) - static_cast<double>(last_at_ns_);
  if (has_ready && last_has_ready_ && interval > 0) {
    // A thread that was not there before has begun since. No counter grows by more than the
    // interval.
    const auto more = [interval](uint64_t before, uint64_t now) {
      return now < before ? 0 : std::min(interval, static_cast<double>(now - before));
    };
    for (const ThreadInSnapshot& now : open_.threads) {
      const auto last = last_.find(now.thread);
      const bool is_new = last == last_.end();
      ran_ns_ += more(is_new ? 0 : last->second.cpu_ns, now.cpu_ns);
      ready_ns_ += more(is_new ? 0 : last->second.ready_ns, now.ready_ns);
    }
    ready_over_ns_ += interval;
  }
  last_at_ns_ = open_.at_ns;
  last_has_ready_ = has_ready;
}

// A snapshot that is no longer the newest.
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
  waits.ran_ns = ran_ns_;
  waits.ready_ns = ready_ns_;
  waits.ready_over_ns = ready_over_ns_;
  intervals_.Finish(waits);
  waits.snapshot_count = count_;
  waits.snapshot_pause_ns = pause_ns_;
  waits.longest_snapshot_pause_ns = longest_pause_ns_;
}

}  // namespace hindsight::analyzer
