#include "analyzer/analyses/waits/time_shares.h"

#include <algorithm>

namespace hindsight::analyzer {

uint64_t ShareOut(uint64_t total, std::span<const double> weights, std::span<uint64_t> room,
                  std::span<uint64_t> given) {
  constexpr int kMostRounds = 32;  // each fills those with too little room, so few are needed
  for (int round = 0; round < kMostRounds && total > 0; ++round) {
    double sum = 0, most = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (room[i] == 0) continue;
      sum += weights[i];
      most = std::max(most, weights[i]);
    }
    if (sum <= 0) return total;
    const uint64_t all = total;
    if (static_cast<double>(all) * (most / sum) < 1) break;  // no share is as much as 1
    for (size_t i = 0; i < weights.size(); ++i) {
      if (room[i] == 0 || weights[i] <= 0) continue;
      const auto share = static_cast<uint64_t>(static_cast<double>(all) * (weights[i] / sum));
      const uint64_t more = std::min({share, room[i], total});
      given[i] += more;
      room[i] -= more;
      total -= more;
    }
    if (total == all) break;  // only the rounding error is left
  }
  for (size_t i = 0; i < weights.size() && total > 0; ++i) {
    if (weights[i] <= 0) continue;
    const uint64_t more = std::min(room[i], total);
    given[i] += more;
    room[i] -= more;
    total -= more;
  }
  return total;
}

}  // namespace hindsight::analyzer
