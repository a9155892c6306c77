#include "analyzer/model/thread_intervals.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {

void ThreadIntervals::Add(const ThreadSnapshot& snapshot) {
  if (last_.size() + snapshot.threads.size() > kMaxThreads) {
    // Threads that the newest snapshot did not show have ended.
    int64_t newest_ns = INT64_MIN;
    for (const auto& [thread, last] : last_) newest_ns = std::max(newest_ns, last.at_ns);
    std::erase_if(last_, [newest_ns](const auto& entry) { return entry.second.at_ns < newest_ns; });
  }
  for (const ThreadInSnapshot& thread : snapshot.threads) AddThread(thread, snapshot.at_ns);
}

void ThreadIntervals::AddThread(const ThreadInSnapshot& now, int64_t at_ns) {
  if (last_.size() >= kMaxThreads && !last_.contains(now.thread)) {
    ++refused_;
    return;
  }
  const auto [at, is_new] = last_.try_emplace(now.thread);
  Last& last = at->second;
  const ThreadStatus status = {now.stack, now.state, now.lock_owner, now.waits_for};
  const bool is_known = now.cpu_ns != 0;
  ThreadInterval interval;
  interval.thread = now.thread;
  interval.to_ns = at_ns;
  interval.after = status;
  if (is_new) {
    interval.from_begin = true;
    interval.ran_ns = now.cpu_ns;
    interval.ready_ns = now.ready_ns;
    if (is_known) Add(last, interval);
  } else if (is_known && last.cpu_ns != 0 && now.cpu_ns >= last.cpu_ns && at_ns > last.at_ns) {
    const auto length = static_cast<uint64_t>(at_ns - last.at_ns);
    const uint64_t ready = now.ready_ns < last.ready_ns ? 0 : now.ready_ns - last.ready_ns;
    interval.from_ns = last.at_ns;
    interval.before = last.status;
    interval.ran_ns = std::min(length, now.cpu_ns - last.cpu_ns);
    interval.ready_ns = std::min(length - interval.ran_ns, ready);
    interval.is_unmoved = interval.ran_ns == 0 && last.status.stack == now.stack;
    Add(last, interval);
  } else {
    last.row = kNoRow;  // what it did since is unknown
  }
  last.at_ns = at_ns;
  last.cpu_ns = now.cpu_ns;
  last.ready_ns = now.ready_ns;
  last.status = status;
}

void ThreadIntervals::Add(Last& last, const ThreadInterval& interval) {
  const bool is_full = rows_.size() >= kMaxRows;
  if (last.row != kNoRow) {
    ThreadInterval& row = rows_[last.row];
    if (is_full || (row.is_unmoved && interval.is_unmoved)) {
      row.to_ns = interval.to_ns;
      row.ran_ns += interval.ran_ns;
      row.ready_ns += interval.ready_ns;
      row.is_unmoved = row.is_unmoved && interval.is_unmoved;
      row.after = interval.after;
      return;
    }
  }
  if (is_full) {
    ++refused_;
    return;
  }
  last.row = rows_.size();
  rows_.push_back(interval);
}

void ThreadIntervals::Finish(Waits& waits) {
  waits.refused += refused_;
  waits.intervals = std::move(rows_);
  std::stable_sort(
      waits.intervals.begin(), waits.intervals.end(),
      [](const ThreadInterval& a, const ThreadInterval& b) { return a.thread < b.thread; });
}

}  // namespace hindsight::analyzer
