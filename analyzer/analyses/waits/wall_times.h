// Time by state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "analyzer/analyses/waits/wall_sites.h"

namespace hindsight::analyzer {

// ns, indexed by state.
struct WallTimes {
  std::array<uint64_t, kWallStates> ns{};

  uint64_t& operator[](WallState state) { return ns[static_cast<size_t>(state)]; }
  uint64_t operator[](WallState state) const { return ns[static_cast<size_t>(state)]; }
  WallTimes& operator+=(const WallTimes& other) {
    for (size_t i = 0; i < kWallStates; ++i) ns[i] += other.ns[i];
    return *this;
  }
  uint64_t all() const { return std::accumulate(ns.begin(), ns.end(), uint64_t{0}); }
  uint64_t not_idle() const { return all() - (*this)[WallState::kIdle]; }
  // Time waiting for a lock, a task, ...; excludes idle time.
  uint64_t waiting() const {
    uint64_t sum = 0;
    for (const WallState state : {WallState::kLock, WallState::kTask, WallState::kSignal,
                                  WallState::kSleep, WallState::kNative}) {
      sum += (*this)[state];
    }
    return sum;
  }
};

}  // namespace hindsight::analyzer
