#include "analyzer/analyses/waits/contended_locks.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/waits/lock_contention.h"

namespace hindsight::analyzer {
namespace {

// The lock with most of a place's time; 0: there is none.
uint64_t LockOfPlace(const LockTimes& times, uint64_t total_ns, const ContendedLockRules& rules) {
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == times.end() || most->second == 0) return 0;
  const bool is_its =
      static_cast<double>(most->second) >= rules.of_one_lock * static_cast<double>(total_ns);
  return is_its ? most->first : 0;
}

}  // namespace

std::vector<LockTimes> LockTimesOf(const Model& model, std::span<const WaitPlace> places) {
  std::map<std::pair<WaitKind, StackId>, size_t> place_of;
  for (size_t i = 0; i < places.size(); ++i) {
    for (const WaitVariant& variant : places[i].variants) {
      place_of.emplace(std::pair(places[i].group.kind, variant.stack), i);
    }
  }
  std::vector<LockTimes> times(places.size());
  for (const LockStackGroup& group : model.waits.lock_stacks) {
    const auto place = place_of.find({group.kind, group.stack});
    if (place != place_of.end()) times[place->second][group.lock] += group.total_ns;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    for (const OpenWait* wait : places[i].open) {
      if (wait->lock != 0) times[i][wait->lock] += AgeOf(*wait, model.facts.last_ns);
    }
  }
  return times;
}

std::vector<ContendedLock> ContendedLocks(const Model& model, std::span<const WaitPlace> places,
                                          const ContendedLockRules& rules) {
  std::unordered_map<uint64_t, uint32_t> waiters;
  for (const LockGroup& lock : model.waits.locks) waiters.emplace(lock.lock, lock.waiters_at_most);
  const std::vector<LockTimes> times = LockTimesOf(model, places);
  std::vector<ContendedLock> rows;
  std::map<std::pair<WaitKind, uint64_t>, size_t> row_of;
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t lock = LockOfPlace(times[i], places[i].total_ns(), rules);
    size_t at = rows.size();
    if (lock != 0) at = row_of.try_emplace({places[i].group.kind, lock}, at).first->second;
    if (at == rows.size()) rows.emplace_back();
    ContendedLock& row = rows[at];
    row.lock = lock;
    row.places.push_back(i);
    row.count += places[i].count();
    row.total_ns += places[i].total_ns();
    row.longest_ns = std::max(row.longest_ns, places[i].longest_ns());
    for (const auto& [of, time] : times[i]) {
      if (lock != 0 && of != lock) continue;
      const auto known = waiters.find(of);
      if (known != waiters.end())
        row.waiters_at_most = std::max(row.waiters_at_most, known->second);
    }
  }
  for (ContendedLock& row : rows) {
    std::stable_sort(row.places.begin(), row.places.end(), [&](size_t a, size_t b) {
      return places[a].total_ns() > places[b].total_ns();
    });
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ContendedLock& a, const ContendedLock& b) {
    return a.total_ns > b.total_ns;
  });
  return rows;
}

}  // namespace hindsight::analyzer
