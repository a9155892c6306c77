// Regions of code that is being unloaded, from the callbacks that report it to the drain thread.
//
// Those callbacks hold up every suspension of the runtime, so they wait for nobody: a region takes
// a free place or is turned away, whatever the drain thread or another callback is doing, or where
// it was descheduled.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

class ForgottenRegions {
 public:
  // Any thread. False: no place was found soon enough.
  bool Add(const CodeRegion& region) {
    const uint32_t first = next_.fetch_add(1, std::memory_order_relaxed);
    for (uint32_t i = 0; i < kTries; ++i) {
      Place& place = places_[(first + i) % kPlaces];
      uint32_t free = kFree;
      if (!place.state.compare_exchange_strong(free, kTaken)) continue;
      place.region = region;
      place.state.store(kFull);
      has_some_.store(true);
      return true;
    }
    return false;
  }

  // One thread. Calls f(region) for those whose Add has returned; true: there was one.
  template <typename F>
  bool TakeAll(F f) {
    if (!has_some_.exchange(false)) return false;
    for (Place& place : places_) {
      if (place.state.load() != kFull) continue;
      f(place.region);
      place.state.store(kFree);
    }
    return true;
  }

 private:
  static constexpr size_t kPlaces = 1024;
  static constexpr uint32_t kTries = 16;
  enum State : uint32_t { kFree, kTaken, kFull };

  struct Place {
    std::atomic<uint32_t> state{kFree};
    CodeRegion region{};
  };
  std::array<Place, kPlaces> places_;
  std::atomic<uint32_t> next_{0};
  std::atomic<bool> has_some_{false};
};

}  // namespace hindsight::recorder
