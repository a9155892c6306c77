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

// What requests did meanwhile: more clients open more connections.
class Load {
 public:
  Load(const Requests& requests, const Thirds& thirds) : requests_(requests), thirds_(thirds) {}

  // In the last third, more than in the first; on average.
  double MoreInProgress() const {
    const auto in_progress = [this](size_t third) {
      const TimeSpan& span = thirds_[third];
      return Sum(&RequestSample::total_ns, third) / static_cast<double>(span.to_ns - span.from_ns);
    };
    return in_progress(2) - in_progress(0);
  }
  bool HasGrown(double factor) const {
    return Sum(&RequestSample::finished, 2) > factor * Sum(&RequestSample::finished, 0);
  }

 private:
  double Sum(uint64_t RequestSample::*number, size_t third) const {
    double total = 0;
    for (const RequestSample& sample : requests_.samples) {
      if (thirds_[third].Contains(sample.at_ns)) total += static_cast<double>(sample.*number);
    }
    return total;
  }

  const Requests& requests_;
  const Thirds& thirds_;
};

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
  // Those of requests that do not end are reported as such.
  const Load load(model.requests, thirds);
  if (load.MoreInProgress() >= static_cast<double>(files) / 2) return;
  const bool is_busier = load.HasGrown(rules.open_files_load_growth);
  Finding finding;
  // A process that starts opens its connections.
  const bool may_start =
      thirds.span().from_ns < WarmFrom(model.facts, rules) && files < rules.open_files_growth;
  finding.is_doubt = may_start || is_busier || !left_ns || *left_ns > rules.open_files_left_ns;
  finding.severity = finding.is_doubt ? Severity::kNote : Severity::kWarning;
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
