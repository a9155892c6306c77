// The process's memory outside of the managed heap, over time: memory that the collector does not
// know, and no snapshot shows.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// How much the managed heap has grown at most between the middles of two spans: by what the
// collector has committed or, without collections, by all allocations. None: unknown.
std::optional<double> ManagedGrowth(const Model& model, const TimeSpan& first,
                                    const TimeSpan& last) {
  const auto committed = [&](const TimeSpan& span) {
    return MedianOf(model.collections.rows, &CollectionRow::committed_bytes, span, 1);
  };
  const auto before = committed(first), after = committed(last);
  if (before && after) return static_cast<double>(*after) - static_cast<double>(*before);
  if (!model.facts.allocations_on) return std::nullopt;
  double allocated = 0;
  for (const AllocationSample& sample : model.samples.allocations.samples) {
    if (sample.at_ns >= first.from_ns && sample.at_ns < last.to_ns) allocated += sample.bytes;
  }
  return allocated;
}

struct Growth {
  TimeSpan span;
  uint64_t length_ns = 0;
  uint64_t before_bytes = 0, after_bytes = 0;  // anonymous memory, at the ends of the span
  uint64_t native_bytes = 0;                   // more than `length_ns` earlier
  bool is_even = false;
};

std::optional<Growth> NativeGrowth(const Model& model) {
  const Thirds thirds(model.facts);
  const std::optional<ThirdsGrowth> all =
      GrowthOf(model.memory, &MemorySample::anonymous_bytes, thirds);
  if (!all || !all->is_steady()) return std::nullopt;
  const std::optional<double> managed = ManagedGrowth(model, thirds[0], thirds[2]);
  if (!managed) return std::nullopt;
  const auto grown = static_cast<double>(all->grown());
  const double native = grown - std::max(0.0, *managed);
  if (native < grown / 2) return std::nullopt;
  Growth growth{.span = thirds.span(), .length_ns = thirds.between_ns(), .is_even = all->is_even()};
  for (const MemorySample& sample : model.memory) {
    if (sample.anonymous_bytes == 0 || sample.at_ns < growth.span.from_ns) continue;
    if (growth.before_bytes == 0) growth.before_bytes = sample.anonymous_bytes;
    growth.after_bytes = sample.anonymous_bytes;
  }
  growth.native_bytes = static_cast<uint64_t>(native);
  // What rises and falls again is no growth.
  if (growth.after_bytes < growth.before_bytes + growth.native_bytes / 2) return std::nullopt;
  return growth;
}

std::string AssembliesText(const Model& model, const TimeSpan& span, const OverviewRules& rules) {
  uint64_t loaded = 0, unloaded = 0;
  for (const AssemblyChange& change : model.assemblies) {
    if (span.Contains(change.at_ns)) ++(change.is_load ? loaded : unloaded);
  }
  if (loaded < unloaded + rules.kept_assemblies) return {};
  return " Meanwhile " + FormatCount(loaded) + " assemblies were loaded and " +
         (unloaded == 0 ? "none" : FormatCount(unloaded)) +
         " unloaded: compiled scripts, templates, serializers or proxies, for example. Each keeps "
         "its code and metadata; create them once, or unload them.";
}

}  // namespace

void JudgeNativeMemory(const EventReports& events, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
  const Model& model = events.model;
  const std::optional<Growth> growth = NativeGrowth(model);
  if (!growth) return;
  // A process that starts loads code, and fills caches and pools.
  const bool is_warm = growth->span.from_ns >= WarmFrom(model.facts, rules);
  const uint64_t certain = is_warm ? rules.native_growth_bytes : rules.native_growth_at_start_bytes;
  const bool is_certain = growth->native_bytes >= certain;
  if (growth->native_bytes < (growth->is_even ? rules.native_even_growth_bytes : certain) ||
      static_cast<double>(growth->native_bytes) <
          rules.native_growth_share * static_cast<double>(growth->after_bytes)) {
    return;
  }
  Finding finding;
  finding.WarnUnlessDoubt(!is_certain);
  finding.kind = kNativeMemory;
  finding.title =
      "Memory outside of the managed heap grows by " +
      FormatBytes(growth->native_bytes * 1'000'000'000 / std::max<uint64_t>(1, growth->length_ns)) +
      "/s";
  finding.evidence =
      "The process's own memory grew from " + FormatBytes(growth->before_bytes) + " to " +
      FormatBytes(growth->after_bytes) + " in " +
      FormatDuration(static_cast<uint64_t>(growth->span.to_ns - growth->span.from_ns));
  if (events.gc.last_committed_bytes != 0) {
    finding.evidence += "; at the end, the collector held " +
                        FormatBytes(events.gc.last_committed_bytes) + " of it";
  }
  finding.evidence += '.';
  std::string assemblies = AssembliesText(model, growth->span, rules);
  finding.evidence += assemblies.empty()
                          ? " Look for native libraries, Marshal.AllocHGlobal, NativeMemory, and "
                            "objects with native memory that are not disposed."
                          : std::move(assemblies);
  finding.command = "timeline";
  finding.impact = std::min(
      1.0, static_cast<double>(growth->native_bytes) / static_cast<double>(growth->after_bytes));
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
