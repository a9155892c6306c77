// Locks that threads wait for, each with all places that wait for it: one lock that is entered in
// two methods is one problem.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct WaitPlace;

struct ContendedLockRules {
  // Of the time that a place waits, for one lock: then that lock is the place's. Where every
  // object has a lock of its own, no lock has so much, and the place is judged by itself.
  double of_one_lock = 0.5;
};

struct ContendedLock {
  uint64_t lock = 0;           // the runtime's id; 0: not known, or each object has its own
  std::vector<size_t> places;  // at least one, most time first
  uint64_t count = 0, total_ns = 0, longest_ns = 0;  // with waits that have not ended
  uint32_t waiters_at_most = 0;                      // for one lock, at the same time; 0: not known
};

using LockTimes = std::map<uint64_t, uint64_t>;  // by lock, the runtime's id: waited so long

// Of each place.
std::vector<LockTimes> LockTimesOf(const Model& model, std::span<const WaitPlace> places);

// Of places that wait for locks, most time first. Each place is in one of the rows.
std::vector<ContendedLock> ContendedLocks(const Model& model, std::span<const WaitPlace> places,
                                          const ContendedLockRules& rules = {});

}  // namespace hindsight::analyzer
