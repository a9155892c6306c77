#include "analyzer/analyses/heap/leak_series.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/accumulation_contents.h"
#include "analyzer/analyses/heap/leak_kinds.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kSeriesOf = "Over ";
constexpr std::string_view kNoSeries = "One snapshot cannot show whether their number grows.";
constexpr std::string_view kNoTrend = "Two snapshots show no trend.";

double AsDouble(uint64_t number) { return static_cast<double>(number); }

class SeriesJudge {
 public:
  SeriesJudge(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
              const SeriesRules& rules, LeakReport& report)
      : heaps_(heaps), model_(model), names_(names), rules_(rules), report_(report) {}

  void ClearWhatStays() {
    std::vector<LeakSuspect> stay;
    for (LeakSuspect& suspect : report_.suspects) {
      const std::vector<uint64_t> counts = Counts(suspect.type);
      if (counts.front() == 0 || !IsNoGrowth(counts)) {
        if (CameAtLast(counts)) {
          suspect.confidence = LeakConfidence::kLow;
          suspect.came_at_last = true;
          suspect.evidence.emplace_back(
              "They appeared between the last two snapshots, which is not a trend yet.");
        }
        suspect.evidence.push_back(Sentence(counts));
        stay.push_back(std::move(suspect));
        continue;
      }
      const bool fell = AsDouble(counts.back()) < AsDouble(counts.front()) * (1 - rules_.constant);
      report_.cleared.push_back({.path = std::move(suspect.path),
                                 .type = suspect.type,
                                 .count = suspect.count,
                                 .retained = suspect.retained,
                                 .share = suspect.share,
                                 .reason = std::string(fell ? "shrinking: " : "no growth: ") +
                                           Numbers(counts) + " in the snapshots"});
    }
    report_.suspects = std::move(stay);
  }

  void Suspect(const PathGrowth& growth) {
    if (growth.trend != Trend::kGrows || IsFrameworkType(model_.dictionaries, growth.type)) return;
    const HeapNumbers& first = growth.series.front();
    const HeapNumbers& last = growth.series.back();
    const uint64_t grown = last.retained - std::min(first.retained, last.retained);
    std::vector<uint64_t> counts;
    for (const HeapNumbers& numbers : growth.series) counts.push_back(numbers.objects);
    if (CameAtLast(counts) || last.objects < first.objects + rules_.min_objects ||
        AsDouble(last.retained) < rules_.min_share * AsDouble(heaps_.back().bytes)) {
      return;
    }
    const auto same = std::find_if(report_.suspects.begin(), report_.suspects.end(),
                                   [&](const LeakSuspect& s) { return s.type == growth.type; });
    if (same != report_.suspects.end()) {
      const double before = AsDouble(Counts(growth.type).front());
      const double more = AsDouble(Counts(growth.type).back()) - before;
      if (more >= rules_.size_growth * before) same->confidence = LeakConfidence::kHigh;
      return;
    }
    const AccumulationTraits traits = TraitsOf(growth);
    const double least = IsShape(traits.kind) ? rules_.min_shape_growth : rules_.min_growth;
    if (AsDouble(grown) < least * AsDouble(heaps_.front().bytes)) return;
    std::erase_if(report_.cleared,
                  [&](const ClearedAccumulation& c) { return c.type == growth.type; });
    report_.suspects.push_back(SuspectOf(growth, traits));
  }

 private:
  // Objects of the type, in each of the heaps.
  std::vector<uint64_t> Counts(TypeId type) const {
    const std::string name = TypeDisplayName(model_.dictionaries, type);
    std::vector<uint64_t> counts;
    for (const HeapSummary& heap : heaps_) {
      const auto found = heap.types.find(name);
      counts.push_back(found == heap.types.end() ? 0 : found->second.objects);
    }
    return counts;
  }

  bool IsNoGrowth(const std::vector<uint64_t>& counts) const {
    const double last = AsDouble(counts.back());
    const double most = AsDouble(*std::max_element(counts.begin(), counts.end()));
    return last <= AsDouble(counts.front()) * (1 + rules_.constant) ||
           last < most * (1 - rules_.constant);
  }

  // Nearly all that there is more came between the last two.
  bool CameAtLast(const std::vector<uint64_t>& counts) const {
    const double before = AsDouble(counts[counts.size() - 2]) - AsDouble(counts.front());
    const double all = AsDouble(counts.back()) - AsDouble(counts.front());
    return all > 0 && before < rules_.before_last * all;
  }

  AccumulationTraits TraitsOf(const PathGrowth& growth) const {
    AccumulationTraits traits;
    traits.name = "growing heap";
    const std::vector<OwnerStep>& steps = growth.path.steps;
    if (steps.empty() || growth.place >= growth.path.objects.size()) return traits;
    const bool is_handle = steps.front().kind == OwnerStep::Kind::kRoot && steps.size() == 1 &&
                           steps.front().method == 0;
    if (is_handle) {
      traits.kind = LeakKind::kHandles;
      traits.name = "handles";
      return traits;
    }
    Accumulation accumulation;
    accumulation.owner = growth.path.objects.front();
    accumulation.type = model_.graph.ClassOf(growth.path.objects[growth.place]);
    accumulation.count = accumulation.direct = growth.series.back().objects;
    AccumulationTraits shape =
        ClassifyAccumulation(model_, names_, accumulation, growth.path, growth.place);
    return IsShape(shape.kind) ? shape : traits;
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
    suspect.advice = AdviceFor(suspect.kind);
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
  const SlotNames& names_;
  const SeriesRules& rules_;
  LeakReport& report_;
};

}  // namespace

void JudgeSeries(std::span<const HeapSummary> heaps, const HeapModel& model, const SlotNames& names,
                 const HeapDiff& diff, LeakReport& report, const SeriesRules& rules) {
  report.snapshots = std::max<uint64_t>(heaps.size(), 1);
  if (heaps.size() < rules.min_snapshots) {
    for (LeakSuspect& suspect : report.suspects) {
      suspect.evidence.emplace_back(heaps.size() < 2 ? kNoSeries : kNoTrend);
    }
    return;
  }
  SeriesJudge judge(heaps, model, names, rules, report);
  judge.ClearWhatStays();
  for (const PathGrowth& growth : diff.paths) judge.Suspect(growth);
  std::stable_sort(
      report.suspects.begin(), report.suspects.end(),
      [](const LeakSuspect& a, const LeakSuspect& b) { return a.retained > b.retained; });
}

std::string_view SeriesSentence(const LeakSuspect& suspect) {
  if (suspect.evidence.empty()) return {};
  const std::string_view last = suspect.evidence.back();
  const bool is_series = last.starts_with(kSeriesOf) || last == kNoSeries || last == kNoTrend;
  return is_series ? last : std::string_view();
}

std::string_view SeriesLimit(const LeakReport& report, const SeriesRules& rules) {
  if (report.snapshots >= rules.min_snapshots) return {};
  return report.snapshots < 2 ? "One snapshot shows what is large, not what grows."
                              : "Two snapshots show a difference, not what keeps growing.";
}

}  // namespace hindsight::analyzer
