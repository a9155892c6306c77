// Locks that threads wait for, each with all places that wait for it: a lock that is entered in two
// methods is one problem.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct WaitPlace;

struct ContendedLockRules {
  // If this share of a place's waiting time is for one lock, the lock is the place's. If every
  // object has its own lock, none has that much, and the place is judged separately.
  double of_one_lock = 0.5;
};

struct ContendedLock {
  uint64_t lock = 0;           // the runtime's id; 0: unknown, or each object has its own
  std::vector<size_t> places;  // at least one, most time first
  uint64_t count = 0, total_ns = 0, longest_ns = 0;  // including unfinished waits
  uint32_t waiters_at_most = 0;                      // for one lock, at the same time; 0: unknown
};

using LockTimes = std::map<uint64_t, uint64_t>;  // waiting time, by the runtime's id of the lock

// For each place.
std::vector<LockTimes> LockTimesOf(const Model& model, std::span<const WaitPlace> places);

// `places` wait for locks, longest time first. Each is in exactly one of the rows.
std::vector<ContendedLock> ContendedLocks(const Model& model, std::span<const WaitPlace> places,
                                          const ContendedLockRules& rules = {});

}  // namespace hindsight::analyzer
