// The process's open files, sockets and pipes over time: what is opened and not closed.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kAdvice =
    " Look for streams, sockets, HttpClients and file watchers that are not disposed; a heap "
    "snapshot shows which objects hold them.";

// What the load did meanwhile, if that may be why: more clients open more connections.
std::string LoadGrowth(const Requests& requests, const Thirds& thirds, uint64_t files,
                       const OverviewRules& rules) {
  const auto sum = [&](uint64_t RequestSample::*number, size_t third) {
    double total = 0;
    for (const RequestSample& sample : requests.samples) {
      if (thirds[third].Contains(sample.at_ns)) total += static_cast<double>(sample.*number);
    }
    return total;
  };
  const auto in_progress = [&](size_t third) {
    const TimeSpan& span = thirds[third];
    return sum(&RequestSample::total_ns, third) / static_cast<double>(span.to_ns - span.from_ns);
  };
  const double more = in_progress(2) - in_progress(0);
  if (more >= static_cast<double>(files) / 2) {
    return " Meanwhile, " + FormatCount(static_cast<uint64_t>(more)) +
           " more requests were in progress.";
  }
  const double before = sum(&RequestSample::finished, 0), after = sum(&RequestSample::finished, 2);
  return after > before * rules.open_files_load_growth
             ? " Meanwhile, more requests ended per second."
             : "";
}

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
  const uint64_t files = growth->grown();
  if (files < rules.open_files_growth ||
      static_cast<double>(files) <
          rules.open_files_growth_share * static_cast<double>(growth->medians[2])) {
    return;
  }
  const double seconds = static_cast<double>(thirds.between_ns()) / 1e9;
  const double per_second = static_cast<double>(files) / seconds;
  Finding finding;
  const std::string load = LoadGrowth(model.requests, thirds, files, rules);
  // A process that starts opens connections and loads libraries.
  const bool may_start = thirds.span().from_ns < WarmFrom(model.facts, rules) &&
                         files < rules.open_files_growth_at_start;
  finding.is_doubt = may_start || !load.empty();
  finding.severity = finding.is_doubt ? Severity::kNote : Severity::kWarning;
  finding.kind = "open-files";
  finding.title =
      "Open files, sockets or pipes grow by " + FormatRate(per_second * 60) + " a minute";
  finding.evidence = "From " + FormatCount(growth->medians[0]) + " to " +
                     FormatCount(growth->medians[2]) + " in " + FormatDuration(thirds.between_ns());
  const uint64_t limit = model.facts.open_files_limit;
  if (limit > growth->medians[2]) {
    const double left = static_cast<double>(limit - growth->medians[2]) / per_second;
    finding.evidence += "; the limit of " + FormatCount(limit) + " is reached " +
                        FormatDuration(static_cast<uint64_t>(std::min(left, 1e9) * 1e9)) +
                        " later at this pace";
  }
  finding.evidence += '.';
  finding.evidence += load;
  finding.evidence += kAdvice;
  finding.command = "timeline";
  finding.impact =
      std::min(1.0, static_cast<double>(files) / static_cast<double>(growth->medians[2]));
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
