// Addresses about which nothing remains to be learned: most frames of a sample have been seen
// before, and one lookup here is cheaper than two searches.
//
// A direct-mapped table: an evicted address is looked up again. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

class KnownPlaces {
 public:
  bool Has(uintptr_t ip) const { return places_[IndexOf(ip)] == ip; }
  void Add(uintptr_t ip) { places_[IndexOf(ip)] = ip; }
  void Clear() { places_.fill(0); }

 private:
  static constexpr uint32_t kBits = 12;

  static size_t IndexOf(uintptr_t ip) {
    return static_cast<size_t>(uint64_t{ip} * 0x9e3779b97f4a7c15u >> (64 - kBits));
  }

  std::array<uintptr_t, size_t{1} << kBits> places_{};
};

}  // namespace hindsight::recorder
