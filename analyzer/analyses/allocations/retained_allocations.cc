#include "analyzer/analyses/allocations/retained_allocations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/analyses/pattern.h"

namespace hindsight::analyzer {
namespace {

struct TypeSum {
  PathWeight weight;
  std::map<FrameId, PathWeight> sites;
  std::vector<uint64_t> ages;
};

// Reorders `ages`, which must not be empty.
uint64_t Median(std::vector<uint64_t>& ages) {
  const auto middle = ages.begin() + static_cast<ptrdiff_t>(ages.size() / 2);
  std::nth_element(ages.begin(), middle, ages.end());
  return *middle;
}

RetainedType RowOf(const std::string& name, TypeSum& sum) {
  const auto most = std::max_element(
      sum.sites.begin(), sum.sites.end(),
      [](const auto& a, const auto& b) { return a.second.amount < b.second.amount; });
  const auto [youngest, oldest] = std::minmax_element(sum.ages.begin(), sum.ages.end());
  RetainedType row;
  row.name = name;
  row.weight = sum.weight;
  row.site = most->first;
  row.site_weight = most->second;
  row.youngest_ns = *youngest;
  row.oldest_ns = *oldest;
  row.median_age_ns = Median(sum.ages);
  return row;
}

}  // namespace

RetainedAllocations AnalyzeRetainedAllocations(const HeapModel& model, const RootPaths& roots,
                                               const AllocationQuery& query) {
  const Survivors& survivors = model.survivors;
  const MethodNames names(model.dictionaries);
  CallPathsBuilder builder(model.dictionaries, survivors.calls, query.paths);
  RetainedAllocations report;
  std::map<std::string, TypeSum> types;
  std::vector<uint64_t> ages;
  for (const Survivor& survivor : survivors.samples) {
    const ClassIndex index = model.graph.ClassOf(survivor.object);
    const std::string& type = names.Type(model.graph.classes()[index].type);
    if (!query.type.empty() && !MatchesPattern(query.type, type)) continue;
    const PathWeight weight =
        WeightOf(survivor.size, survivor.objects, survivor.bytes, survivors.sampling);
    if (!roots.IsReachable(survivor.object)) {
      report.unreachable += weight;
      continue;
    }
    report.whole += weight;
    TypeSum& sum = types[type];
    sum.weight += weight;
    sum.sites[builder.Add(survivor.call, weight)] += weight;
    sum.ages.push_back(survivor.age_ns);
    ages.push_back(survivor.age_ns);
  }
  if (!ages.empty()) report.median_age_ns = Median(ages);
  for (auto& [name, sum] : types) report.types.push_back(RowOf(name, sum));
  std::stable_sort(report.types.begin(), report.types.end(),
                   [](const auto& a, const auto& b) { return a.weight.amount > b.weight.amount; });

  CallPaths all = builder.Build();
  FrameFilter filter;
  if (!query.focus.empty()) {
    filter = [&query](const PathFrame& frame) { return MatchesPattern(query.focus, frame.name); };
  }
  CallPaths below = filter ? BelowFrames(all, filter) : CallPaths();
  report.methods = MethodsOf(filter ? below : all);
  if (query.bottom_up) {
    report.paths = Callers(all, filter);
  } else {
    report.paths = filter ? std::move(below) : std::move(all);
  }
  return report;
}

}  // namespace hindsight::analyzer
