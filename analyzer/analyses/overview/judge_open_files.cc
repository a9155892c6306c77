// The process's open files, sockets and pipes over time: what is opened and not closed.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/request_flow.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kAdvice =
    " Look for streams, sockets, HttpClients and file watchers that are not disposed; a heap "
    "snapshot shows which objects hold them.";

void JudgeLimit(const Model& model, const OverviewRules& rules, std::vector<Finding>& findings) {
  const uint64_t limit = model.facts.open_files_limit;
  const auto most = std::ranges::max_element(model.memory, {}, &MemorySample::open_files);
  if (limit == 0 || most == model.memory.end() ||
      most->open_files < rules.open_files_near_limit * static_cast<double>(limit)) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "open-files-limit";
  finding.title = "The process has " + FormatCount(most->open_files) + " of at most " +
                  FormatCount(limit) + " files open";
  finding.evidence =
      "Sockets and pipes count too. At the limit, nothing can be opened, and no "
      "connection accepted, any more (RLIMIT_NOFILE)." +
      std::string(kAdvice);
  finding.command = "timeline";
  finding.impact = 1;
  findings.push_back(std::move(finding));
}

void JudgeGrowth(const Model& model, const OverviewRules& rules, std::vector<Finding>& findings) {
  const Thirds thirds(model.facts);
  const std::optional<ThirdsGrowth> growth =
      GrowthOf(model.memory, &MemorySample::open_files, thirds);
  if (!growth || !growth->is_steady()) return;
  const uint64_t files = growth->grown(), last = growth->medians[2];
  const bool is_even = growth->is_even();
  const uint64_t least = is_even ? rules.open_files_even_growth : rules.open_files_growth;
  const double share = is_even ? rules.open_files_even_share : rules.open_files_growth_share;
  if (files < least || static_cast<double>(files) < share * static_cast<double>(last)) return;
  const double per_second =
      static_cast<double>(files) * 1e9 / static_cast<double>(thirds.between_ns());
  const uint64_t limit = model.facts.open_files_limit;
  std::optional<uint64_t> left_ns;
  if (limit > last) {
    const double left = static_cast<double>(limit - last) / per_second;
    left_ns = static_cast<uint64_t>(std::min(left, 1e9) * 1e9);
  }
  const auto flow = [&](const TimeSpan& span) {
    return FlowOf(model.requests, span.from_ns, span.to_ns);
  };
  const RequestFlow before = flow(thirds[0]), after = flow(thirds[2]);
  // Those of requests that do not end are reported as such.
  if (after.in_progress - before.in_progress >= static_cast<double>(files) / 2) return;
  // More clients open more connections.
  const bool is_busier = after.finished > rules.open_files_load_growth * before.finished;
  Finding finding;
  // A process that starts opens its connections.
  const bool may_start =
      thirds.span().from_ns < WarmFrom(model.facts, rules) && files < rules.open_files_growth;
  finding.WarnUnlessDoubt(may_start || is_busier || !left_ns ||
                          *left_ns > rules.open_files_left_ns);
  finding.kind = "open-files";
  finding.title =
      "Open files, sockets or pipes grow by " + FormatRate(per_second * 60) + " a minute";
  finding.evidence = "From " + FormatCount(growth->medians[0]) + " to " + FormatCount(last) +
                     " in " + FormatDuration(thirds.between_ns());
  if (left_ns) {
    finding.evidence += "; the limit of " + FormatCount(limit) + " is reached " +
                        FormatDuration(*left_ns) + " later at this pace";
  }
  finding.evidence += is_busier ? ". Meanwhile, more requests ended per second." : ".";
  finding.evidence += kAdvice;
  finding.command = "timeline";
  finding.impact = std::min(1.0, static_cast<double>(files) / static_cast<double>(last));
  findings.push_back(std::move(finding));
}

}  // namespace

void JudgeOpenFiles(const Model& model, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  const size_t before = findings.size();
  JudgeLimit(model, rules, findings);
  if (findings.size() == before) JudgeGrowth(model, rules, findings);
}

}  // namespace hindsight::analyzer
