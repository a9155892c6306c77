// Memory that climbs all the time, whatever holds it: at such a pace, it is used up soon.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr double kMinuteNs = 60e9;

// Whether the collector has run in the first and in the last part: what it left is not only garbage
// that it had no reason yet to look for.
bool IsCollected(const Model& model, const Thirds& thirds) {
  const auto ran_in = [&](size_t third) {
    return std::ranges::any_of(model.collections.rows, [&](const CollectionRow& row) {
      return thirds[third].Contains(row.at_ns);
    });
  };
  return ran_in(0) && ran_in(2);
}

// Whether at least half of that is what collections left, more each time. A background collection
// reports the young objects only after the next one.
bool DoesHeapGrow(const Model& model, uint64_t grown) {
  uint64_t first = 0, last = 0;
  for (const CollectionRow& row : model.collections.rows) {
    const bool is_background = row.type == CollectionType::kBackground;
    const uint64_t after = row.detailed && !is_background ? HeapAfter(row) : 0;
    if (after == 0) continue;
    if (after < last) return false;
    if (first == 0) first = after;
    last = after;
  }
  return last - first >= grown / 2;
}

const GcFinding* HeapGrowth(const GcReport& report) {
  const auto found =
      std::ranges::find(report.findings, GcFinding::Kind::kHeapGrows, &GcFinding::kind);
  return found == report.findings.end() ? nullptr : &*found;
}

}  // namespace

void JudgeClimbingMemory(const Reports& reports, const OverviewRules& rules,
                         std::vector<Finding>& findings) {
  const Model& model = reports.events->model;
  if (IsReported(findings, kMemoryLimit) || EndedByItself(model)) return;
  const Thirds thirds(model.facts);
  const std::optional<ThirdsGrowth> growth =
      GrowthOf(model.memory, &MemorySample::anonymous_bytes, thirds);
  if (!growth || !growth->is_even() || growth->grown() < rules.climbing_bytes) return;
  const uint64_t now = model.memory.back().anonymous_bytes;
  const auto grown = static_cast<double>(growth->grown());
  const double per_ns = grown / static_cast<double>(std::max<uint64_t>(1, thirds.between_ns()));
  const bool is_fast =
      per_ns * kMinuteNs >= rules.climbing_share_per_minute * static_cast<double>(now);
  if (!is_fast && grown < rules.climbing_share * static_cast<double>(now)) return;
  const uint64_t limit = model.facts.memory_limit;
  const uint64_t left_ns =
      limit <= now ? 0 : static_cast<uint64_t>(static_cast<double>(limit - now) / per_ns);
  const bool is_warm = thirds.span().from_ns >= WarmFrom(model.facts, rules);
  const bool is_soon =
      limit != 0 && left_ns < (is_warm ? rules.used_up_ns : rules.used_up_at_start_ns);
  // An attach is after the start, even if not long after.
  const RecordingFacts& facts = model.facts;
  const bool is_past_start =
      is_warm || facts.begin_unix_ns() >= facts.process_started_unix_ns + rules.attached_after_ns;
  const GcFinding* const of_heap = HeapGrowth(reports.events->gc);
  // Other findings and snapshots tell more about what is not urgent.
  if (!is_soon && (of_heap != nullptr || reports.heap || !is_past_start ||
                   !(IsCollected(model, thirds) || DoesHeapGrow(model, growth->grown())) ||
                   IsReported(findings, kNativeMemory))) {
    return;
  }
  Finding finding;
  finding.WarnUnlessDoubt(!is_soon);
  finding.kind = kClimbingMemory;
  finding.title =
      "Memory climbs by " + FormatBytes(static_cast<uint64_t>(per_ns * 1e9)) + "/s" +
      (is_soon ? ": at this pace, the " +
                     std::string(model.facts.is_memory_of_container ? "container" : "machine") +
                     "'s " + FormatBytes(limit) + " are used up in " + FormatDuration(left_ns)
               : ", at the same pace all the time");
  finding.evidence = "The process's own memory grew from " +
                     FormatBytes(model.memory.front().anonymous_bytes) + " to " + FormatBytes(now) +
                     " in " + FormatDuration(model.facts.length_ns()) + ".";
  if (of_heap != nullptr) {
    finding.evidence += " " + DescribeGcFinding(reports.events->gc, *of_heap).evidence;
  } else if (!is_soon) {
    finding.evidence += " No full collection shows how much of it is alive.";
  }
  if (!reports.heap) {
    finding.evidence += " Two heap snapshots, a minute apart, show what holds it.";
  }
  finding.command = "timeline";
  finding.impact = is_soon ? 1 : std::min(1.0, grown / static_cast<double>(now));
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
