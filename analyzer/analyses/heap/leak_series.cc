#include "analyzer/analyses/heap/leak_series.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/accumulation_contents.h"
#include "analyzer/analyses/heap/leak_kinds.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kSeriesOf = "Over ";
constexpr std::string_view kNoSeries = "One snapshot cannot show whether their number grows.";
constexpr std::string_view kNoTrend = "Two snapshots show a difference, but no trend: ";
constexpr std::string_view kNoGrowth = "It did not grow between the two snapshots: ";

uint64_t SeriesNs(std::span<const HeapSummary> heaps) {
  if (heaps.empty() || heaps.back().unix_ns < heaps.front().unix_ns) return 0;
  return heaps.back().unix_ns - heaps.front().unix_ns;
}

double AsDouble(uint64_t number) { return static_cast<double>(number); }

class SeriesJudge {
 public:
  SeriesJudge(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
              const HeapPaths& folded, const SeriesRules& rules, LeakReport& report)
      : heaps_(heaps),
        model_(model),
        owners_(model),
        names_(names),
        folded_(folded),
        rules_(rules),
        report_(report),
        is_short_(SeriesNs(heaps) < rules.min_series_ns) {}

  // What healthy programs do not accumulate may be a leak that grows now and then, if it is much. A
  // collection that has not grown may as well be a table that was loaded once.
  void CompareTwo() {
    for (LeakSuspect& suspect : report_.suspects) {
      const std::vector<uint64_t> counts = CountsOf(suspect);
      const bool has_stayed = counts.front() != 0 && counts.back() <= counts.front();
      const bool is_much = IsShape(suspect.kind) && suspect.share >= report_.rules.large_share;
      if (has_stayed && !is_much) suspect.confidence = LeakConfidence::kLow;
      const double growth =
          counts.front() == 0 ? 0 : AsDouble(counts.back()) / AsDouble(counts.front());
      const bool are_timeouts = suspect.kind == LeakKind::kTimeouts;
      suspect.may_grow =
          (are_timeouts && growth >= rules_.timeouts_growth) ||
          (suspect.share >= rules_.much_of_heap &&
           growth >= (are_timeouts ? rules_.much_growth_of_timeouts : rules_.much_growth));
      suspect.evidence.push_back(std::string(has_stayed ? kNoGrowth : kNoTrend) + Numbers(counts) +
                                 " objects.");
    }
  }

  void ClearWhatStays() {
    std::vector<LeakSuspect> stay;
    for (LeakSuspect& suspect : report_.suspects) {
      const std::vector<uint64_t> counts = CountsOf(suspect);
      if (counts.front() == 0 || !IsNoGrowth(counts)) {
        if (counts.front() != 0 && IsSmall(counts) && is_short_) {
          suspect.confidence = LeakConfidence::kLow;
          suspect.evidence.push_back("Such growth in " + FormatDuration(SeriesNs(heaps_)) +
                                     " may be chance.");
        }
        if (CameAtLast(counts)) {
          suspect.confidence = LeakConfidence::kLow;
          suspect.came_at_last = true;
          suspect.evidence.emplace_back(
              "They appeared between the last two snapshots, which is not a trend yet.");
        }
        if (suspect.kind == LeakKind::kTimeouts && !is_short_ && !suspect.came_at_last &&
            AsDouble(counts.back()) >= rules_.timeouts_growth * AsDouble(counts.front())) {
          suspect.confidence = LeakConfidence::kMedium;
        }
        suspect.evidence.push_back(Sentence(counts));
        stay.push_back(std::move(suspect));
        continue;
      }
      const bool fell = AsDouble(counts.back()) < AsDouble(counts.front()) * (1 - rules_.constant);
      report_.cleared.push_back(
          {.path = std::move(suspect.path),
           .type = suspect.type,
           .count = suspect.count,
           .retained = suspect.retained,
           .share = suspect.share,
           .reason = (fell        ? "shrinking: "
                      : is_short_ ? "no growth seen in " + FormatDuration(SeriesNs(heaps_)) + ": "
                                  : "no growth: ") +
                     Numbers(counts) + " in the snapshots"});
    }
    report_.suspects = std::move(stay);
  }

  void Suspect(const PathGrowth& growth) {
    if (growth.trend != Trend::kGrows) return;
    const bool is_tracked = IsTracked(growth);
    const AccumulationTraits traits = TraitsOf(growth);
    const bool is_frameworks = owners_.IsFramework(growth.type) && !is_tracked;
    if (is_frameworks && !IsFrameworksLeak(growth, traits.kind)) return;
    const HeapNumbers& first = growth.series.front();
    const HeapNumbers& last = growth.series.back();
    const uint64_t grown = last.retained - std::min(first.retained, last.retained);
    std::vector<uint64_t> counts;
    for (const HeapNumbers& numbers : growth.series) counts.push_back(numbers.objects);
    const bool is_large =
        AsDouble(last.retained) >= rules_.min_share * AsDouble(heaps_.back().bytes);
    if (CameAtLast(counts) || last.objects < first.objects + rules_.min_objects ||
        (!is_large && !is_tracked)) {
      return;
    }
    const auto same = std::find_if(
        report_.suspects.begin(), report_.suspects.end(), [&](const LeakSuspect& suspect) {
          if (is_tracked && suspect.kind == LeakKind::kChangeTracker) return true;
          return suspect.type == growth.type &&
                 (HaveOneOwner(suspect.path, growth.path) || AreAlike(suspect.count, last.objects));
        });
    if (same != report_.suspects.end()) {
      const double before = AsDouble(counts.front());
      const double more = AsDouble(counts.back()) - before;
      if (more >= rules_.size_growth * before) same->confidence = LeakConfidence::kHigh;
      return;
    }
    const double least = IsShape(traits.kind) ? rules_.min_shape_growth : rules_.min_growth;
    if (AsDouble(grown) < least * AsDouble(heaps_.front().bytes) && !is_tracked) return;
    std::erase_if(report_.cleared, [&](const ClearedAccumulation& cleared) {
      return cleared.type == growth.type && HaveOneOwner(cleared.path, growth.path);
    });
    report_.suspects.push_back(SuspectOf(growth, traits));
    const bool is_doubtful = is_frameworks && !IsShape(traits.kind);
    if (!is_large || is_doubtful) report_.suspects.back().confidence = LeakConfidence::kLow;
    if (!is_short_ || IsShape(traits.kind) || grown >= rules_.min_bytes_of_others ||
        owners_.IsYours(growth.type)) {
      return;
    }
    LeakSuspect& suspect = report_.suspects.back();
    suspect.confidence = LeakConfidence::kLow;
    suspect.evidence.insert(suspect.evidence.begin(), "So little of a library's own in " +
                                                          FormatDuration(SeriesNs(heaps_)) +
                                                          " may be what it keeps for a while.");
  }

 private:
  // Whether the path leads through a DbContext's change tracker: it keeps all until its end,
  // however small they are.
  bool IsTracked(const PathGrowth& growth) const {
    return std::ranges::any_of(growth.path.steps, [this](const OwnerStep& step) {
      return IsChangeTracker(model_.dictionaries, step.to);
    });
  }

  // Whether a framework's own objects grow as a leak of yours makes them: many, not only along with
  // what is a suspect already, and as fast in the end as before. What a framework caches, or keeps
  // for a while, fills up.
  bool IsFrameworksLeak(const PathGrowth& growth, LeakKind kind) const {
    const uint64_t count = growth.series.back().objects;
    const auto belongs = [&](const LeakSuspect& suspect) {
      return HaveOneOwner(suspect.path, growth.path) && AreAlike(suspect.count, count);
    };
    if (std::ranges::any_of(report_.suspects, belongs)) return false;
    if (IsShape(kind)) return true;
    const size_t last = growth.series.size() - 1;
    if (count < growth.series.front().objects + rules_.min_frameworks_objects) return false;
    const auto rate = [&](size_t from) {
      const double seconds = AsDouble(heaps_[last].unix_ns - heaps_[from].unix_ns) / 1e9;
      const double grown =
          AsDouble(growth.series[last].objects) - AsDouble(growth.series[from].objects);
      return grown / std::max(seconds, 1e-3);
    };
    return last >= 2 && rate(last - 1) >= rules_.steady * rate(0);
  }

  // Objects that are held in two ways are counted along both.
  bool AreAlike(uint64_t a, uint64_t b) const {
    return AsDouble(std::max(a, b)) <= AsDouble(std::min(a, b)) * (1 + rules_.constant);
  }

  // The number of objects of the type in each of the heaps.
  std::vector<uint64_t> Counts(TypeId type) const {
    const std::string name = TypeDisplayName(model_.dictionaries, type);
    std::vector<uint64_t> counts;
    for (const HeapSummary& heap : heaps_) {
      const auto found = heap.types.find(name);
      counts.push_back(found == heap.types.end() ? 0 : found->second.objects);
    }
    return counts;
  }

  // The counts on the suspect's path; those of the type if the path has changed, or if the suspect
  // has objects on several, as timers in several queues are.
  std::vector<uint64_t> CountsOf(const LeakSuspect& suspect) const {
    std::vector<uint64_t> all = Counts(suspect.type);
    if (suspect.path.objects.empty()) return all;
    const auto node = folded_.node_of.find(suspect.path.objects.back());
    if (node == folded_.node_of.end() || folded_.nodes[node->second].type != suspect.type) {
      return all;
    }
    std::vector<uint64_t> counts;
    for (const HeapSummary& heap : heaps_) {
      const auto found = heap.paths.find(folded_.nodes[node->second].hash);
      counts.push_back(found == heap.paths.end() ? 0 : found->second.objects);
    }
    const double grown = AsDouble(counts.back()) - AsDouble(counts.front());
    const double all_grown = AsDouble(all.back()) - AsDouble(all.front());
    const bool has_moved = grown > 0 && all_grown < rules_.carries * grown;
    // They were held in another way, if now they are all objects of their type.
    const bool was_elsewhere =
        counts.front() == 0 && all.front() > 0 && AreAlike(all.back(), suspect.count);
    const auto differs = [&](uint64_t count) {
      return std::max(count, suspect.count) - std::min(count, suspect.count);
    };
    return has_moved || was_elsewhere || differs(all.back()) < differs(counts.back()) ? all
                                                                                      : counts;
  }

  // Whether both are held by the same static field, or by roots of the same kind.
  bool HaveOneOwner(const OwnerPath& a, const OwnerPath& b) const {
    if (a.steps.empty() || b.steps.empty()) return a.steps.empty() == b.steps.empty();
    const OwnerPhrases of_a = DescribeStep(model_, names_, a.steps.front());
    const OwnerPhrases of_b = DescribeStep(model_, names_, b.steps.front());
    return of_a.from == of_b.from && of_a.field == of_b.field;
  }

  bool IsSmall(const std::vector<uint64_t>& counts) const {
    return AsDouble(counts.back()) <= AsDouble(counts.front()) * (1 + rules_.constant);
  }

  bool IsNoGrowth(const std::vector<uint64_t>& counts) const {
    const double most = AsDouble(*std::max_element(counts.begin(), counts.end()));
    if (AsDouble(counts.back()) < most * (1 - rules_.constant)) return true;
    const bool grows_always =
        std::adjacent_find(counts.begin(), counts.end(), std::greater_equal<>()) == counts.end();
    return IsSmall(counts) &&
           !(grows_always && counts.back() - counts.front() >= rules_.min_objects);
  }

  // Whether nearly all of the increase came between the last two.
  bool CameAtLast(const std::vector<uint64_t>& counts) const {
    const double before = AsDouble(counts[counts.size() - 2]) - AsDouble(counts.front());
    const double all = AsDouble(counts.back()) - AsDouble(counts.front());
    return all > 0 && before < rules_.before_last * all;
  }

  AccumulationTraits TraitsOf(const PathGrowth& growth) const {
    AccumulationTraits traits;
    traits.name = kGrowingHeap;
    const std::vector<OwnerStep>& steps = growth.path.steps;
    if (steps.empty() || growth.place >= growth.path.objects.size()) return traits;
    const bool is_root = steps.front().kind == OwnerStep::Kind::kRoot && steps.size() == 1 &&
                         steps.front().method == 0;
    if (is_root) {
      const bool is_finalizers = steps.front().root == RootKind::kFinalizerQueue;
      traits.kind = is_finalizers ? LeakKind::kFinalizerQueue : LeakKind::kHandles;
      traits.name = is_finalizers ? "finalizer queue" : "handles";
      return traits;
    }
    Accumulation accumulation;
    accumulation.owner = growth.path.objects.front();
    accumulation.type = model_.graph.ClassOf(growth.path.objects[growth.place]);
    accumulation.count = accumulation.direct = growth.series.back().objects;
    AccumulationTraits shape =
        ClassifyAccumulation(model_, names_, accumulation, growth.path, growth.place, steps.size());
    return IsShape(shape.kind) || shape.kind == LeakKind::kChangeTracker ? shape : traits;
  }

  LeakSuspect SuspectOf(const PathGrowth& growth, const AccumulationTraits& traits) const {
    LeakSuspect suspect;
    suspect.kind = traits.kind;
    suspect.kind_name = traits.name;
    suspect.confidence = LeakConfidence::kHigh;
    suspect.path = growth.path;
    suspect.type = growth.type;
    suspect.count = growth.series.back().objects;
    suspect.retained = growth.series.back().retained;
    suspect.share =
        AsDouble(suspect.retained) / AsDouble(std::max<uint64_t>(report_.reachable_bytes, 1));
    if (!growth.path.objects.empty()) suspect.example = growth.path.objects.back();
    suspect.advice = AdviceFor(suspect.kind, suspect.kind_name);
    std::vector<uint64_t> counts;
    for (const HeapNumbers& numbers : growth.series) counts.push_back(numbers.objects);
    suspect.evidence = {Sentence(counts)};
    return suspect;
  }

  static std::string Numbers(const std::vector<uint64_t>& counts) {
    std::string out;
    for (const uint64_t count : counts) out += (out.empty() ? "" : " -> ") + FormatCount(count);
    return out;
  }

  std::string Sentence(const std::vector<uint64_t>& counts) const {
    return std::string(kSeriesOf) + Plural(heaps_.size(), "snapshot") + ": " + Numbers(counts) +
           " objects.";
  }

  std::span<const HeapSummary> heaps_;
  const HeapModel& model_;
  const TypeOwners owners_;
  const SlotNames& names_;
  const HeapPaths& folded_;
  const SeriesRules& rules_;
  LeakReport& report_;
  const bool is_short_;
};

}  // namespace

void JudgeSeries(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
                 const HeapDiff& diff, const HeapPaths& folded, LeakReport& report,
                 const SeriesRules& rules) {
  report.snapshots = std::max<uint64_t>(heaps.size(), 1);
  report.series_ns = SeriesNs(heaps);
  if (heaps.size() < 2) {
    for (LeakSuspect& suspect : report.suspects) suspect.evidence.emplace_back(kNoSeries);
    return;
  }
  SeriesJudge judge(heaps, model, names, folded, rules, report);
  if (heaps.size() < rules.min_snapshots) return judge.CompareTwo();
  judge.ClearWhatStays();
  for (const PathGrowth& growth : diff.paths) judge.Suspect(growth);
  std::stable_sort(
      report.suspects.begin(), report.suspects.end(),
      [](const LeakSuspect& a, const LeakSuspect& b) { return a.retained > b.retained; });
}

std::string_view SeriesSentence(const LeakSuspect& suspect) {
  if (suspect.evidence.empty()) return {};
  const std::string_view last = suspect.evidence.back();
  const bool is_series = last.starts_with(kSeriesOf) || last.starts_with(kNoTrend) ||
                         last.starts_with(kNoGrowth) || last == kNoSeries;
  return is_series ? last : std::string_view();
}

std::vector<ObjectId> SuspectObjects(const LeakReport& report) {
  std::vector<ObjectId> objects;
  for (const LeakSuspect& suspect : report.suspects) {
    if (!suspect.path.objects.empty()) objects.push_back(suspect.path.objects.back());
  }
  return objects;
}

std::string SeriesLimit(const LeakReport& report, const SeriesRules& rules) {
  if (report.snapshots >= rules.min_snapshots) {
    if (report.series_ns >= rules.min_series_ns) return {};
    return "The snapshots are of " + FormatDuration(report.series_ns) +
           ": what grows slowly was not seen.";
  }
  return report.snapshots < 2 ? "One snapshot shows what is large, not what grows."
                              : "Two snapshots show a difference, not what keeps growing.";
}

}  // namespace hindsight::analyzer
