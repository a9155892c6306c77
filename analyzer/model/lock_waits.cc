#include "analyzer/model/lock_waits.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

// The index of `key`'s entry, which is created if there is room; -1 if there is none.
template <typename Map, typename Table>
int64_t IndexOf(Map& index, const typename Map::key_type& key, Table& table, size_t limit) {
  const auto known = index.find(key);
  if (known != index.end()) return known->second;
  if (table.size() >= limit) return -1;
  index.emplace(key, static_cast<uint32_t>(table.size()));
  table.emplace_back();
  return static_cast<int64_t>(table.size()) - 1;
}

int64_t EndOf(int64_t start_ns, uint64_t duration_ns) {
  return start_ns + static_cast<int64_t>(std::min<uint64_t>(duration_ns, INT64_MAX / 4));
}

}  // namespace

int64_t LockWaits::LockOf(const OpenWait& wait) {
  const bool is_lock = wait.kind == WaitKind::kMonitor || wait.kind == WaitKind::kLock;
  if (!is_lock || wait.lock == 0) return -1;
  const int64_t lock = IndexOf(lock_index_, wait.lock, locks_, kMaxGroups);
  if (lock >= 0) waiting_.resize(locks_.size());
  return lock;
}

void LockWaits::OnCounted(WaitKind kind, StackId stack, uint64_t id, const CountedWaits& counts) {
  all_ += counts.began;
  counted_ += counts.began;
  // Waits that ended in the interval may have begun before it.
  const uint64_t within_ns = std::max(counts.interval_ns, counts.total_ns);
  spans_.Add(WaitSum{.from_ns = counts.at_ns - static_cast<int64_t>(within_ns),
                     .to_ns = counts.at_ns,
                     .total_ns = counts.total_ns,
                     .lock = id,
                     .thread = counts.thread,
                     .stack = stack,
                     .kind = kind});
  const int64_t place = IndexOf(group_index_, GroupKey{kind, stack}, groups_, kMaxGroups);
  if (place < 0) {
    ++refused_;
    return;
  }
  WaitGroup& group = groups_[static_cast<size_t>(place)];
  group.kind = kind;
  group.stack = stack;
  group.count += counts.began;
  group.total_ns += counts.total_ns;
  group.longest_ns = std::max(group.longest_ns, counts.longest_ns);
  OpenWait wait;
  wait.kind = kind;
  wait.lock = id;
  wait.stack = stack;
  AddToLock(wait, counts);
}

void LockWaits::AddToLock(const OpenWait& wait, const CountedWaits& waits) {
  const int64_t at = LockOf(wait);
  if (at < 0) return;
  LockGroup& lock = locks_[static_cast<size_t>(at)];
  lock.kind = wait.kind;
  lock.lock = wait.lock;
  lock.count += waits.began;
  lock.total_ns += waits.total_ns;
  lock.longest_ns = std::max(lock.longest_ns, waits.longest_ns);
  const int64_t pair = IndexOf(lock_stack_index_, StackPair{wait.stack, static_cast<uint32_t>(at)},
                               lock_stacks_, kMaxGroups);
  if (pair < 0) return;  // the place and the lock include them anyway
  LockStackGroup& group = lock_stacks_[static_cast<size_t>(pair)];
  group.lock = wait.lock;
  group.stack = wait.stack;
  group.kind = wait.kind;
  group.count += waits.began;
  group.total_ns += waits.total_ns;
}

void LockWaits::OnWait(const OpenWait& wait, bool over, uint64_t duration_ns) {
  ++all_;
  if (const int64_t lock = LockOf(wait); lock >= 0) {
    steps_.push_back({wait.start_ns, static_cast<uint32_t>(lock), 1});
    if (over) {
      steps_.push_back({EndOf(wait.start_ns, duration_ns), static_cast<uint32_t>(lock), -1});
    }
  }
  if (over) return Add(wait, duration_ns);
  if (open_.size() >= kMaxOpen) {
    ++refused_;
    return;
  }
  open_[wait.id] = wait;
}

void LockWaits::OnNews(uint64_t id, bool over, uint64_t duration_ns, StackId owner_stack) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;  // its beginning was lost
  OpenWait& open = found->second;
  if (owner_stack != 0) open.owner_stack = owner_stack;
  if (!over) return;
  const OpenWait wait = open;
  open_.erase(found);
  if (const int64_t lock = LockOf(wait); lock >= 0) {
    steps_.push_back({EndOf(wait.start_ns, duration_ns), static_cast<uint32_t>(lock), -1});
  }
  Add(wait, duration_ns);
}

void LockWaits::Add(const OpenWait& wait, uint64_t duration_ns) {
  rows_.Add({wait.start_ns, duration_ns, wait.thread, wait.kind, wait.stack});
  spans_.Add(WaitSpan{.at_ns = wait.start_ns,
                      .duration_ns = std::min<uint64_t>(duration_ns, INT64_MAX / 4),
                      .lock = wait.lock,
                      .thread = wait.thread,
                      .owner = wait.owner,
                      .stack = wait.stack,
                      .kind = wait.kind});
  const int64_t place = IndexOf(group_index_, GroupKey{wait.kind, wait.stack}, groups_, kMaxGroups);
  if (place < 0) {
    ++refused_;
    return;
  }
  WaitGroup& group = groups_[static_cast<size_t>(place)];
  group.kind = wait.kind;
  group.stack = wait.stack;
  ++group.count;
  group.total_ns += duration_ns;
  if (duration_ns >= group.longest_ns) {
    group.longest_ns = duration_ns;
    group.longest_at_ns = wait.start_ns;
    group.lock_of_longest = wait.lock;
    group.longest_owner = wait.owner;
    group.longest_owner_stack = wait.owner_stack;
  }
  if (wait.owner_stack != 0) {
    const StackPair key{wait.owner_stack, static_cast<uint32_t>(place)};
    const int64_t at = IndexOf(holder_index_, key, holders_, kMaxGroups);
    if (at >= 0) {
      HolderGroup& holder = holders_[static_cast<size_t>(at)];
      holder.stack = wait.owner_stack;
      holder.kind = wait.kind;
      holder.waiter = wait.stack;
      ++holder.count;
      holder.total_ns += duration_ns;
      holder.longest_ns = std::max(holder.longest_ns, duration_ns);
    }
  }
  AddToLock(wait, {.began = 1, .total_ns = duration_ns, .longest_ns = duration_ns});
}

void LockWaits::OnSegment() {
  std::sort(steps_.begin(), steps_.end());
  for (const Step& step : steps_) {
    int32_t& waiting = waiting_[step.lock];
    waiting = std::max(0, waiting + step.change);
    LockGroup& lock = locks_[step.lock];
    lock.waiters_at_most = std::max(lock.waiters_at_most, static_cast<uint32_t>(waiting));
  }
  steps_.clear();
}

void LockWaits::Finish(Waits& waits) {
  OnSegment();
  for (auto& [id, open] : open_) {
    if (const auto lock = lock_index_.find(open.lock); lock != lock_index_.end()) {
      locks_[lock->second].kind = open.kind;
      locks_[lock->second].lock = open.lock;
    }
    waits.open.push_back(std::move(open));
  }
  std::sort(waits.open.begin(), waits.open.end(), [](const OpenWait& a, const OpenWait& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.id < b.id;
  });
  waits.groups = std::move(groups_);
  waits.locks = std::move(locks_);
  waits.lock_stacks = std::move(lock_stacks_);
  waits.holders = std::move(holders_);
  waits.rows = rows_.Take();
  spans_.Finish(waits);
  waits.all += all_;
  waits.counted += counted_;
  waits.refused += refused_;
}

}  // namespace hindsight::analyzer
