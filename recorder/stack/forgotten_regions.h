// Regions of code that is being unloaded, passed to the drain thread by the callbacks that report
// it.
//
// Those callbacks delay every suspension of the runtime, so they never wait: a region takes a free
// slot or is rejected, whatever the drain thread or another callback is doing, or wherever it was
// descheduled.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

class ForgottenRegions {
 public:
  // Any thread. False: no free slot in kTries attempts.
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

  // One thread. Calls f(region) for each region whose Add has returned. True: something was added
  // since the last call.
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
