#include "analyzer/analyses/heap/heap_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

int64_t Difference(uint64_t before, uint64_t after) {
  return static_cast<int64_t>(after) - static_cast<int64_t>(before);
}

int64_t RetainedGrowth(const std::vector<HeapNumbers>& series) {
  return Difference(series.front().retained, series.back().retained);
}

Trend TrendOf(const std::vector<HeapNumbers>& series, const DiffRules& rules) {
  const int64_t growth = RetainedGrowth(series);
  if (growth < 0) return Trend::kShrank;
  if (series.size() < 3) return Trend::kGrew;
  const auto step = static_cast<int64_t>(rules.fallback * static_cast<double>(growth));
  uint64_t highest = 0;
  for (const HeapNumbers& numbers : series) {
    if (Difference(numbers.retained, highest) > step) return Trend::kComesAndGoes;
    highest = std::max(highest, numbers.retained);
  }
  const int64_t last = Difference(series[series.size() - 2].retained, series.back().retained);
  return last < step || last <= 0 ? Trend::kLevelledOff : Trend::kGrows;
}

int RankOf(Trend trend) {
  switch (trend) {
    case Trend::kGrows:
    case Trend::kGrew:
      return 0;
    case Trend::kLevelledOff:
      return 1;
    case Trend::kComesAndGoes:
      return 2;
    case Trend::kShrank:
      break;
  }
  return 3;
}

// Whether it is what the runtime's own event sources keep in order to describe events to listeners.
// The recorder is a listener, so they have it sooner or later.
bool DescribesEvents(const HeapModel& model, const SlotNames& names, const OwnerPath& path) {
  if (path.steps.empty() || path.steps.front().kind != OwnerStep::Kind::kStatic) return false;
  const std::string field = DescribeStep(model, names, path.steps.front()).field;
  return field.starts_with("System.Diagnostics.Tracing.NativeRuntimeEventSource.") ||
         field.starts_with("System.Diagnostics.Tracing.RuntimeEventSource.") ||
         field.starts_with("System.Threading.Tasks.TplEventSource.");
}

template <typename Change>
void Rank(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    const std::pair<int, int64_t> left{RankOf(a.trend), -std::abs(RetainedGrowth(a.series))};
    const std::pair<int, int64_t> right{RankOf(b.trend), -std::abs(RetainedGrowth(b.series))};
    return left < right;
  });
}

class Comparison {
 public:
  Comparison(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
             const RootPaths& paths, const HeapPaths& folded, const DiffRules& rules)
      : heaps_(heaps),
        model_(model),
        owners_(model),
        names_(names),
        paths_(paths),
        folded_(folded),
        rules_(rules) {
    const uint64_t smaller = std::min(heaps.front().bytes, heaps.back().bytes);
    diff_.noise_bytes = std::max(
        rules.min_bytes, static_cast<uint64_t>(rules.min_share * static_cast<double>(smaller)));
  }

  HeapDiff Compare() {
    CompareTypes();
    ComparePaths();
    return std::move(diff_);
  }

 private:
  template <typename Table, typename Key>
  std::vector<HeapNumbers> Series(Table HeapSummary::*table, const Key& key) const {
    std::vector<HeapNumbers> series;
    for (const HeapSummary& heap : heaps_) {
      const auto found = (heap.*table).find(key);
      series.push_back(found == (heap.*table).end() ? HeapNumbers{} : found->second);
    }
    return series;
  }

  bool IsNoise(int64_t change, uint64_t before) const {
    const auto size = static_cast<uint64_t>(std::abs(change));
    return size < diff_.noise_bytes ||
           static_cast<double>(size) < rules_.min_change * static_cast<double>(before);
  }

  void CompareTypes() {
    std::set<std::string> types;
    for (const HeapSummary* heap : {&heaps_.front(), &heaps_.back()}) {
      for (const auto& [type, numbers] : heap->types) types.insert(type);
    }
    std::vector<TypeChange> changes;
    for (const std::string& type : types) {
      changes.push_back({.type = type, .series = Series(&HeapSummary::types, type)});
      const auto& series = changes.back().series;
      const int64_t change = Difference(series.front().bytes, series.back().bytes);
      (change > 0 ? all_growth_ : all_loss_) += std::abs(change);
    }
    for (TypeChange& change : changes) {
      const HeapNumbers& first = change.series.front();
      const HeapNumbers& last = change.series.back();
      const int64_t retained = Difference(first.retained, last.retained);
      const bool is_noise = IsNoise(retained, first.retained) || IsMoved(retained);
      if (is_noise && IsNoise(Difference(first.bytes, last.bytes), first.bytes)) continue;
      change.trend = TrendOf(change.series, rules_);
      diff_.types.push_back(std::move(change));
    }
    Rank(diff_.types);
  }

  // Whether nothing came or went that would explain it: the objects only have other owners.
  bool IsMoved(int64_t retained) const {
    const int64_t most = retained > 0 ? all_growth_ : all_loss_;
    return static_cast<double>(most) < rules_.carries * static_cast<double>(std::abs(retained));
  }

  struct Growth {
    int64_t retained = 0;
    int64_t objects = 0;
    uint64_t before = 0;
  };

  void ComparePaths() {
    const auto& first = heaps_.front().paths;
    growth_.resize(folded_.nodes.size());
    children_.resize(folded_.nodes.size());
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < folded_.nodes.size(); ++i) {
      const HeapPaths::Node& node = folded_.nodes[i];
      if (node.objects == 0) continue;
      const auto found = first.find(node.hash);
      const HeapNumbers before = found == first.end() ? HeapNumbers{} : found->second;
      growth_[i] = {Difference(before.retained, node.retained),
                    Difference(before.objects, node.objects), before.retained};
      if (growth_[i].retained < static_cast<int64_t>(diff_.noise_bytes)) continue;
      (node.parent == HeapPaths::kTop ? open : children_[node.parent]).push_back(i);
    }
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      if (Explains(node)) {
        Report(Unwrap(node), node);
      } else {
        open.insert(open.end(), children_[node].begin(), children_[node].end());
      }
    }
    Rank(diff_.paths);
  }

  // Whether something accumulates here, or nothing below explains the growth.
  bool Explains(uint32_t node) const {
    if (growth_[node].objects >= rules_.many_more) return true;
    int64_t below = 0;
    for (const uint32_t child : children_[node]) below += growth_[child].retained;
    return static_cast<double>(below) <
           rules_.carries * static_cast<double>(growth_[node].retained);
  }

  // Goes down through the framework's nodes and delegates, and the single array that contains
  // these, to what they are about.
  uint32_t Unwrap(uint32_t node) const {
    if (growth_[node].objects < rules_.many_more) return node;
    uint32_t at = node;
    while (owners_.IsFramework(folded_.nodes[at].type)) {
      const auto rank = [&](uint32_t child) {  // the application's first
        const bool carries = static_cast<double>(growth_[child].retained) >=
                             rules_.carries * static_cast<double>(growth_[at].retained);
        return std::tuple(carries, !owners_.IsFramework(folded_.nodes[child].type),
                          growth_[child].retained);
      };
      const auto best = std::max_element(children_[at].begin(), children_[at].end(),
                                         [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
      if (best == children_[at].end() || !std::get<0>(rank(*best))) break;
      at = *best;
      if (growth_[at].objects >= rules_.many_more) node = at;
    }
    return node;
  }

  // For a path that grew more than its type, because objects were held in another way before (roots
  // come and go): whether the type grew as a whole, and most of it is on this path.
  bool HasGrownOnOtherPaths(const HeapPaths::Node& node,
                            const std::vector<HeapNumbers>& all) const {
    const int64_t retained = RetainedGrowth(all);
    return Difference(all.front().objects, all.back().objects) >= rules_.many_more &&
           retained > 0 && !IsNoise(retained, all.front().retained) &&
           static_cast<double>(node.objects) >=
               rules_.carries * static_cast<double>(all.back().objects);
  }

  // The last step that leads to the type; otherwise the last step.
  static size_t PlaceOf(TypeId type, const OwnerPath& path) {
    for (size_t i = path.steps.size(); i-- > 0;) {
      if (path.steps[i].to == type) return i;
    }
    return path.steps.empty() ? 0 : path.steps.size() - 1;
  }

  // `top`: where it accumulates, at `node` or above it.
  void Report(uint32_t node, uint32_t top) {
    const HeapPaths::Node& of = folded_.nodes[node];
    if (IsNoise(growth_[node].retained, growth_[node].before)) return;
    PathGrowth growth;
    growth.series = Series(&HeapSummary::paths, of.hash);
    std::vector<HeapNumbers> all =
        Series(&HeapSummary::types, TypeDisplayName(model_.dictionaries, of.type));
    if (growth_[node].objects >= rules_.many_more) {
      const int64_t more = Difference(all.front().objects, all.back().objects);
      if (static_cast<double>(more) < rules_.carries * static_cast<double>(growth_[node].objects)) {
        if (!HasGrownOnOtherPaths(of, all)) return;
        growth.series = std::move(all);
      }
    } else if (IsMoved(growth_[node].retained) ||
               static_cast<double>(RetainedGrowth(all)) <
                   rules_.carries * static_cast<double>(growth_[node].retained)) {
      // What a few objects retain was there before, and so were they, or others of their type.
      return;
    }
    growth.type = of.type;
    growth.path = MakeOwnerPath(model_, names_, paths_, paths_.PathTo(of.example));
    if (DescribesEvents(model_, names_, growth.path)) return;
    growth.place = PlaceOf(folded_.nodes[top].type, growth.path);
    growth.is_new = growth.series.front().objects == 0;
    growth.trend = TrendOf(growth.series, rules_);
    diff_.paths.push_back(std::move(growth));
  }

  std::span<const HeapSummary> heaps_;
  const HeapModel& model_;
  const TypeOwners owners_;
  const SlotNames& names_;
  const RootPaths& paths_;
  const HeapPaths& folded_;
  const DiffRules rules_;
  std::vector<Growth> growth_;
  std::vector<std::vector<uint32_t>> children_;  // those that grew
  int64_t all_growth_ = 0, all_loss_ = 0;        // shallow bytes, separately for each type
  HeapDiff diff_;
};

}  // namespace

HeapDiff CompareHeaps(std::span<const HeapSummary> heaps, const HeapModel& model,
                      const SlotNames& names, const RootPaths& paths, const HeapPaths& folded,
                      const DiffRules& rules) {
  return Comparison(heaps, model, names, paths, folded, rules).Compare();
}

}  // namespace hindsight::analyzer
