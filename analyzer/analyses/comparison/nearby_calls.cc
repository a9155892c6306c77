#include "analyzer/analyses/comparison/nearby_calls.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {

NearbyCalls::NearbyCalls(Paths before, Paths after)
    : before_(std::move(before)), after_(std::move(after)) {
  uint32_t frames = 1;
  for (const Paths* paths : {&before_, &after_}) {
    for (const Node& node : paths->nodes) frames = std::max(frames, node.frame + 1);
  }
  is_yours_.resize(frames);
  for (const auto& [paths, has] :
       {std::pair(&before_, &has_before_), std::pair(&after_, &has_after_)}) {
    has->resize(frames);
    for (size_t i = 1; i < paths->nodes.size(); ++i) {
      (*has)[paths->nodes[i].frame] = true;
      if (paths->nodes[i].is_yours) is_yours_[paths->nodes[i].frame] = true;
    }
  }
}

std::vector<bool> NearbyCalls::CallersOf(uint32_t frame, int reach) const {
  std::vector<bool> callers(is_yours_.size());
  for (const Paths* paths : {&before_, &after_}) {
    for (const Node& node : paths->nodes) {
      if (node.frame != frame) continue;
      int left = reach;
      for (uint32_t at = node.parent; at != 0 && left > 0; at = paths->nodes[at].parent) {
        const uint32_t caller = paths->nodes[at].frame;
        if (caller == frame || !IsInBoth(caller)) continue;
        callers[caller] = true;
        --left;
      }
    }
  }
  return callers;
}

ChangeCell NearbyCalls::Around(uint32_t frame, const std::vector<bool>& callees, int reach,
                               const std::function<bool(uint32_t cell)>& is_left_out) const {
  enum class Where : uint8_t { kElsewhere, kInCaller, kInCallee };
  ChangeCell around;
  const std::vector<bool> callers = CallersOf(frame, reach);
  const auto enter = [&](Where above, const Node& node) {
    if (callers[node.frame]) return Where::kInCaller;
    if (node.frame == frame && !is_yours_[frame]) return Where::kInCallee;
    if (above != Where::kInCaller || !node.is_yours) return above;
    return callees[node.frame] ? Where::kInCallee : Where::kElsewhere;
  };
  for (const auto& [paths, side] :
       {std::pair(&before_, &ChangeCell::before), std::pair(&after_, &ChangeCell::after)}) {
    std::vector<Where> where(paths->nodes.size(), Where::kElsewhere);
    for (size_t i = 1; i < where.size(); ++i) {
      where[i] = enter(where[paths->nodes[i].parent], paths->nodes[i]);
    }
    for (const Sample& sample : paths->samples) {
      if (where[sample.node] == Where::kElsewhere || is_left_out(sample.cell)) continue;
      (around.*side).Add(sample.slice, sample.amount, sample.variance);
    }
  }
  return around;
}

}  // namespace hindsight::analyzer
