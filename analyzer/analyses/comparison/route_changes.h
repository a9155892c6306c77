// Requests of two recordings side by side: those served by route, those made by server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hindsight::analyzer {

// In one recording.
struct RouteNumbers {
  uint64_t count = 0, failed = 0;
  double per_second = 0;    // over the time for which requests were reported
  double failed_share = 0;  // 0..1
  uint64_t mean_ns = 0;
  uint64_t p95_ns = 0, p99_ns = 0;  // estimates
};

struct RouteChange {
  enum class Change : uint8_t { kWorse, kBetter };

  std::string name;                           // "GET /orders/{id}", "GET bank.example:443"
  std::optional<RouteNumbers> before, after;  // nullopt: none in that recording
  // In the mean time, and in the share that fails. nullopt: no difference beyond chance.
  std::optional<Change> time, failures;
};

struct RouteChanges {
  std::vector<RouteChange> served, made;
};

// Otherwise the order stays the same.
inline void PutChangedFirst(std::vector<RouteChange>& routes) {
  std::stable_partition(routes.begin(), routes.end(),
                        [](const RouteChange& route) { return route.time || route.failures; });
}

}  // namespace hindsight::analyzer
