#include "analyzer/analyses/overview/hot_method.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/analyses/places/called_methods.h"

namespace hindsight::analyzer {
namespace {

class HotMethodFinder {
 public:
  HotMethodFinder(const CpuProfileReport& report, const OverviewRules& rules)
      : report_(report), rules_(rules), working_(report.whole.amount - CompilingOf(report).amount) {
    for (const OwnMethod& method : report.own.methods) by_frame_[method.frame] = &method;
  }

  std::optional<HotMethod> Find() const;

 private:
  bool IsCandidate(const OwnMethod& method) const;
  const OwnMethod* DeepestBelow(const OwnMethod& top) const;
  FrameId WhereItGoes(FrameId callee) const;
  void FindThrough(HotMethod& hot) const;
  const OwnMethod* Of(FrameId frame) const {
    const auto found = by_frame_.find(frame);
    return found != by_frame_.end() ? found->second : nullptr;
  }

  const CpuProfileReport& report_;
  const OverviewRules& rules_;
  const double working_;
  std::unordered_map<FrameId, const OwnMethod*> by_frame_;
};

// Excludes methods that only pass on. Methods in which threads begin are on all paths, so they
// count only if they do the work themselves.
bool HotMethodFinder::IsCandidate(const OwnMethod& method) const {
  if (method.total.amount < rules_.hot_note_share * working_ || method.passes_on) return false;
  const bool begins_thread = method.begins.amount >= rules_.begins_share * method.total.amount;
  return !begins_thread || method.self.amount >= rules_.hot_self * working_;
}

// The deepest candidate on the paths of `top` that has most of its time.
const OwnMethod* HotMethodFinder::DeepestBelow(const OwnMethod& top) const {
  const OwnMethod* deepest = &top;
  double least = top.total.amount;
  for (const CalledMethod& called : CalledBy(report_.paths, report_.own, top.frame)) {
    const OwnMethod* const method = Of(called.frame);
    if (method == nullptr || !IsCandidate(*method) ||
        called.total.amount < rules_.hot_part * top.total.amount) {
      continue;
    }
    // A callee has no more than its caller.
    const bool is_deeper = called.total.amount < least ||
                           (called.total.amount == least && method->depth > deepest->depth);
    if (!is_deeper) continue;
    deepest = method;
    least = called.total.amount;
  }
  return deepest;
}

// From a method that passes on, down to the first that does not.
FrameId HotMethodFinder::WhereItGoes(FrameId callee) const {
  constexpr int kMostSteps = 64;
  for (int i = 0; i < kMostSteps; ++i) {
    const OwnMethod* const method = Of(callee);
    if (method == nullptr || !method->passes_on) return callee;
    const std::vector<CalledMethod> called = CalledBy(report_.paths, report_.own, callee);
    const auto most = std::max_element(called.begin(), called.end(),
                                       [](const CalledMethod& a, const CalledMethod& b) {
                                         return a.direct.amount < b.direct.amount;
                                       });
    if (most == called.end() || most->direct.amount == 0) return callee;
    callee = most->frame;
  }
  return callee;
}

void HotMethodFinder::FindThrough(HotMethod& hot) const {
  const double total = hot.method->total.amount;
  if (hot.method->self.amount >= rules_.hot_own * total) return;
  std::vector<CalledMethod> called = CalledBy(report_.paths, report_.own, hot.method->frame);
  std::erase_if(called, [](const CalledMethod& method) { return method.direct.amount == 0; });
  std::stable_sort(called.begin(), called.end(), [](const CalledMethod& a, const CalledMethod& b) {
    return a.direct.amount > b.direct.amount;
  });
  double all = 0, reported = 0;
  for (const CalledMethod& method : called) all += method.direct.amount;
  for (const CalledMethod& method : called) {
    if (hot.through.size() == rules_.hot_through_reported ||
        method.direct.amount < rules_.hot_through_each * total) {
      break;
    }
    reported += method.direct.amount;
    const FrameId frame = WhereItGoes(method.frame);
    if (std::find(hot.through.begin(), hot.through.end(), frame) == hot.through.end()) {
      hot.through.push_back(frame);
    }
  }
  if (reported >= rules_.hot_through * total) return;
  hot.through.clear();
  if (all >= rules_.hot_through * total) hot.spread_over = called.size();
}

std::optional<HotMethod> HotMethodFinder::Find() const {
  const auto top = std::find_if(report_.own.methods.begin(), report_.own.methods.end(),
                                [&](const OwnMethod& method) { return IsCandidate(method); });
  if (top == report_.own.methods.end()) return std::nullopt;
  HotMethod hot;
  hot.method = DeepestBelow(*top);
  FindThrough(hot);
  return hot;
}

}  // namespace

PathWeight CompilingOf(const CpuProfileReport& report) {
  for (const MethodWeight& method : report.native) {
    if (report.paths.frames[method.frame].name == kCompilingFrame) return method.self;
  }
  return {};
}

double ImpactOf(const CpuProfileReport& report, const PathWeight& part) {
  const double cpus = report.model->facts.cpus;
  return std::min(1.0, part.amount / report.whole.amount * (cpus > 0 ? report.cores / cpus : 1));
}

std::optional<HotMethod> FindHotMethod(const CpuProfileReport& report, const OverviewRules& rules) {
  return HotMethodFinder(report, rules).Find();
}

}  // namespace hindsight::analyzer
