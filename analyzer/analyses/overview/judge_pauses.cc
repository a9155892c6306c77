// How long the application was paused, as judged by the analysis of collections.
#include <algorithm>
#include <optional>

#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/analyses/places/own_methods.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string KindOf(GcFinding::Kind kind) {
  std::string out(GcFindingKey(kind));
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

// An occasional pause that is merely noticeable is not a problem, nor are a few in a process that
// soon ends. Collections of young generations come with all allocation, and take twice as long on a
// loaded machine: nothing is wrong until they are bad. A thread that has no processor can
// neither stop nor collect.
Severity SeverityOf(const GcReport& report, const GcFinding& found, bool lacks_processors,
                    const OverviewRules& rules) {
  const double share = report.ShareOfTime(found.cost_ns);
  // What the code requests is not chance.
  const bool is_chance = found.cost_ns > 0 && found.kind != GcFinding::Kind::kInduced;
  if (is_chance && SecondsOf(*report.model) < rules.short_seconds && share < rules.much_of_short) {
    return Severity::kNote;
  }
  const bool is_slowed =
      found.kind == GcFinding::Kind::kSlowStops ||
      (found.kind == GcFinding::Kind::kYoungCollections && share < rules.slowed_young_pauses);
  if (is_slowed && lacks_processors) return Severity::kNote;
  // A single long pause delays requests, but not a batch job.
  const Model& model = *report.model;
  const bool may_serve = !model.facts.requests_on || model.requests.started > 0;
  const bool is_felt =
      may_serve || found.longest_ns >= rules.long_pause_ns || share >= rules.notable_pauses;
  if (found.severity == GcFinding::Severity::kBad && is_felt) return Severity::kWarning;
  if (found.kind == GcFinding::Kind::kYoungCollections) return Severity::kNote;
  return found.cost_ns > 0 && share < rules.notable_pauses ? Severity::kNote : Severity::kWarning;
}

bool IsAboutLargeObjects(const GcFinding& found) {
  constexpr int32_t kAllocatedLarge = 4, kNoRoomForLarge = 6;  // gc_reason in gcpriv.h
  constexpr uint32_t kLargeObjectHeap = 3;
  return found.kind == GcFinding::Kind::kLargeObjects ||
         (found.kind == GcFinding::Kind::kFragmentation && found.generation == kLargeObjectHeap) ||
         (found.kind == GcFinding::Kind::kBlockingGen2 &&
          (found.reason == kAllocatedLarge || found.reason == kNoRoomForLarge));
}

// Each of them goes through the whole heap.
bool AreFrequentForLarge(const GcReport& report, const GcFinding& found,
                         const OverviewRules& rules) {
  return IsAboutLargeObjects(found) && found.count >= rules.large_collections &&
         static_cast<double>(found.count) >=
             rules.large_collections_per_second * SecondsOf(*report.model);
}

AllocationReport LargeAllocations(const Model& model) {
  AllocationQuery query;
  query.heap = AllocationHeap::kLarge;
  return AnalyzeAllocations(model, query);
}

// The method of yours that allocates most, with the others' code that it calls; nullopt: not as
// much as `least`.
std::optional<OwnMethod> AllocatorOf(const AllocationReport& report, double least) {
  Places places(*report.model);
  const OwnCode code = OwnCodeOf(report.paths, places);
  const auto most = std::ranges::max_element(
      code.methods, {}, [](const OwnMethod& method) { return method.self.amount; });
  if (most == code.methods.end() || most->self.amount < least || most->self.samples < kFewSamples) {
    return std::nullopt;
  }
  return *most;
}

// Of the bytes, those that ArrayPool.Rent allocates: what is rented and returned is allocated once.
double RentedBytes(const CallPaths& paths) {
  std::vector<bool> is_rented(paths.nodes.size());
  double bytes = 0;
  for (size_t i = 1; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    const std::string& name = paths.frames[node.frame].name;
    is_rented[i] = is_rented[node.parent] ||
                   (name.starts_with("System.Buffers.") &&
                    name.find("ArrayPool") != std::string::npos && name.ends_with(".Rent"));
    if (is_rented[i]) bytes += node.self.amount;
  }
  return bytes;
}

// Reports what allocates the large objects, if one place has most of them, or one method of yours
// many.
void AddAllocators(const AllocationReport& large, const OverviewRules& rules, Finding& finding) {
  if (large.types.empty()) return;
  const AllocatedType& type = large.types.front();
  const double least = rules.most_of_large * large.whole.amount;
  const auto share = [&large](double amount) {
    return " " + FormatPercent(amount / large.whole.amount) + " of the bytes of large objects are ";
  };
  if (type.site != 0 && type.site_weight.samples >= kFewSamples &&
      type.site_weight.amount >= least) {
    finding.subject = large.paths.frames[type.site].name;
    finding.evidence += share(type.site_weight.amount) + type.name + " of " + finding.subject + ".";
  } else if (const std::optional<OwnMethod> method =
                 AllocatorOf(large, rules.many_of_large * large.whole.amount)) {
    finding.subject = large.paths.frames[method->frame].name;
    finding.evidence += share(method->self.amount) + "of " + finding.subject +
                        " and the code of others that it calls, mostly " + type.name + ".";
  }
  if (RentedBytes(large.paths) >= rules.most_of_large * large.whole.amount) {
    finding.evidence +=
        " Most are allocated by ArrayPool.Rent, which finds none to use again: what is rented has "
        "to be returned (and a JsonDocument disposed, for example).";
  }
}

Finding FindingOf(const GcReport& report, const GcFinding& found, bool lacks_processors,
                  const OverviewRules& rules) {
  const GcSentences words = DescribeGcFinding(report, found);
  Finding finding;
  finding.severity = SeverityOf(report, found, lacks_processors, rules);
  finding.kind = KindOf(found.kind);
  finding.title = words.title;
  if (found.cost_ns > 0) {
    finding.title += ", " + FormatPercent(report.ShareOfTime(found.cost_ns)) + " of the time";
  } else if (found.kind == GcFinding::Kind::kHeapGrows) {
    finding.title += ": " + FormatBytes(found.before) + " -> " + FormatBytes(found.after);
  } else if (found.kind == GcFinding::Kind::kHandles) {
    finding.title += ": " + FormatCount(found.before) + " -> " + FormatCount(found.after);
  }
  finding.evidence = words.evidence;
  if (found.kind == GcFinding::Kind::kInduced && !report.collect_callers.empty()) {
    finding.subject = report.names.Display(report.collect_callers.front().method);
    finding.evidence += " " + CollectCallersText(report);
  }
  finding.command = "gc";
  finding.impact = std::min(1.0, report.ShareOfTime(found.cost_ns));
  return finding;
}

// Whether it was the recorder that requested the collections, for heap snapshots: there are no more
// than these need, and none of them stopped the application for much longer than the present
// snapshot did.
bool IsOfSnapshots(const Reports& reports, const GcFinding& found, const OverviewRules& rules) {
  if (!reports.heap || found.kind != GcFinding::Kind::kInduced) return false;
  const HeapFacts& facts = reports.heap->model.graph.facts;
  return found.count <= rules.collections_of_snapshot * facts.number &&
         found.longest_ns <= rules.pauses_of_snapshot * facts.pause_ns;
}

// Whether there are more GC handles after each full collection, which frees those of a
// ConditionalWeakTable that are no longer needed, and at the same pace all the time.
bool HandlesAccumulate(const Model& model, const OverviewRules& rules) {
  const std::optional<ThirdsGrowth> growth =
      GrowthOf(model.collections.rows, &CollectionRow::handles, Thirds(model.facts));
  if (!growth || !growth->is_even()) return false;
  uint64_t first = 0, last = 0;
  for (const CollectionRow& row : model.collections.rows) {
    if (row.generation < 2 || row.handles == 0) continue;
    if (first != 0 && row.handles <= last) return false;
    if (first == 0) first = row.handles;
    last = row.handles;
  }
  return static_cast<double>(last) >= rules.handles_growth * static_cast<double>(first);
}

// Whether it suggests that objects accumulate, and no heap snapshot shows whether they do.
bool MayAccumulate(const Reports& reports, const GcFinding& found, const OverviewRules& rules) {
  if (reports.heap || IsShortRun(reports.events->model, rules)) return false;
  return found.kind == GcFinding::Kind::kHeapGrows ||
         (found.kind == GcFinding::Kind::kHandles &&
          HandlesAccumulate(reports.events->model, rules));
}

// Collections that the application's code causes, whatever they cost.
bool IsOfCode(const GcFinding& found) {
  return found.kind == GcFinding::Kind::kInduced || found.kind == GcFinding::Kind::kMidLife ||
         found.kind == GcFinding::Kind::kLargeObjects;
}

}  // namespace

Coverage JudgePauses(const Reports& reports, const OverviewRules& rules,
                     std::vector<Finding>& findings) {
  if (!reports.events) return NotRecorded("+gc");
  const GcReport& report = reports.events->gc;
  if (report.all.count == 0 && !report.model->facts.gc_on) return NotRecorded("+gc");
  const bool lacks_processors = reports.events->pool.processors.is_short;
  const bool is_limit_reported = IsReported(findings, kMemoryLimit);
  const bool is_climb_reported = IsReported(findings, kClimbingMemory);
  std::optional<AllocationReport> large;
  std::string noted;
  for (const GcFinding& found : report.findings) {
    if (IsOfSnapshots(reports, found, rules)) continue;
    // The limit itself says more, and so does the pace.
    if (found.kind == GcFinding::Kind::kMemoryLoad && is_limit_reported) continue;
    if (found.kind == GcFinding::Kind::kHeapGrows && is_climb_reported) continue;
    if (found.severity == GcFinding::Severity::kNote) {
      // Other notes on collections are for those who look at these; the coverage points there.
      if (IsOfCode(found)) {
        noted += (noted.empty() ? "" : "; ") + DescribeGcFinding(report, found).title;
      }
      const bool may_accumulate = MayAccumulate(reports, found, rules);
      if (!may_accumulate && (large || !AreFrequentForLarge(report, found, rules))) continue;
      findings.push_back(FindingOf(report, found, lacks_processors, rules));
      findings.back().severity = Severity::kNote;
      findings.back().is_doubt = true;
      if (may_accumulate) {
        findings.back().evidence += " Two heap snapshots, a minute apart, show what holds them.";
      }
    } else {
      findings.push_back(FindingOf(report, found, lacks_processors, rules));
    }
    if (!IsAboutLargeObjects(found)) continue;
    if (!large) large = LargeAllocations(*report.model);
    AddAllocators(*large, rules, findings.back());
  }
  Coverage coverage;
  if (report.all.count == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No collection or other pause.";
    return coverage;
  }
  coverage.looked_at = Plural(report.collections, "collection") + ", pauses took " +
                       FormatPercent(report.ShareOfTime(report.all.total_ns)) +
                       " of the time, the longest " +
                       FormatDuration(report.all.longest.suspension->total_ns);
  if (!noted.empty()) coverage.looked_at += ". Notes in `hindsight gc`: " + noted;
  if (report.detailed == 0 && report.collections > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Reasons and results of collections were not recorded: ";
    coverage.note += report.model->facts.gc_on ? "`events.from=start` records those at the start."
                                               : "record with `sources=+gc`.";
  }
  return coverage;
}

}  // namespace hindsight::analyzer
