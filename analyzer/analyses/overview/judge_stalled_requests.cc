// Requests of which none ended for a while, although many were in progress and others had ended
// before. It is the symptom of most hangs, so it is reported only if nothing else explains it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/requests.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr char kStalledRequests[] = "stalled-requests";

struct Stall {
  int64_t from_ns = 0, to_ns = 0;
  uint64_t started = 0;      // in it
  uint64_t in_progress = 0;  // on average
  uint64_t total_ns = 0;

  uint64_t length_ns() const {
    return static_cast<uint64_t>(std::max<int64_t>(0, to_ns - from_ns));
  }
};

// The longest time without an end of a request.
Stall LongestStall(const Requests& requests) {
  Stall longest, now;
  bool is_known = false;  // when the first sample begins is not
  for (const RequestSample& sample : requests.samples) {
    if (sample.finished > 0 || !is_known) {
      now = {.from_ns = sample.at_ns, .to_ns = sample.at_ns};
      is_known = true;
      continue;
    }
    now.to_ns = sample.at_ns;
    now.started += sample.started;
    now.total_ns += sample.total_ns;
    if (now.length_ns() > longest.length_ns()) longest = now;
  }
  longest.in_progress = longest.total_ns / std::max<uint64_t>(1, longest.length_ns());
  return longest;
}

// None ended in the whole recording, though some began early in it.
std::optional<Finding> NoneEnded(const Model& model, const OverviewRules& rules) {
  const Requests& requests = model.requests;
  uint64_t began = 0;
  int64_t first_ns = model.facts.last_ns;
  for (const RequestSample& sample : requests.samples) {
    if (sample.started > 0) first_ns = std::min(first_ns, sample.at_ns);
    began += sample.started;
  }
  const auto waited_ns = static_cast<uint64_t>(model.facts.last_ns - first_ns);
  if (requests.finished > 0 || began < rules.none_ended_requests ||
      waited_ns < rules.none_ended_ns || MayKeepRequestsOpen(model.dictionaries)) {
    return std::nullopt;
  }
  Finding finding;
  finding.is_doubt = true;
  finding.signal = Signal::kRequests;
  finding.kind = kStalledRequests;
  finding.title = "No request ended, of " + FormatCount(began) + " that began";
  finding.evidence = "The first one had begun " + FormatDuration(waited_ns) +
                     " before the recording ended. What they waited for was not recorded. " +
                     HowToLook(&model) + " Long polls look the same.";
  finding.command = "timeline";
  finding.impact = static_cast<double>(waited_ns) / 1e9 / SecondsOf(model);
  return finding;
}

}  // namespace

bool StopsService(const Finding& finding) {
  return finding.severity != Severity::kNote && finding.kind != "slow-shutdown" &&
         (finding.signal <= Signal::kPool || finding.signal == Signal::kPauses ||
          finding.signal == Signal::kLocks);
}

void JudgeStalledRequests(const Model& model, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  const Requests& requests = model.requests;
  if (std::optional<Finding> none = NoneEnded(model, rules)) {
    if (std::ranges::none_of(findings, StopsService)) findings.push_back(std::move(*none));
    return;
  }
  const Stall stall = LongestStall(requests);
  const bool are_few = stall.in_progress < rules.few_stalled_requests;
  if (stall.length_ns() < rules.stalled_ns || are_few) return;
  const double others = SecondsOf(model) - static_cast<double>(stall.length_ns()) / 1e9;
  const double rate = static_cast<double>(requests.finished) / std::max(1.0, others);
  const double missing = rate * static_cast<double>(stall.length_ns()) / 1e9;
  if (missing < static_cast<double>(rules.stalled_missing)) return;
  if (std::ranges::any_of(findings, StopsService)) return;
  Finding finding;
  // Connections that stay open, such as WebSockets, begin with requests that end.
  const bool begin = stall.started >= rules.stalled_requests;
  finding.WarnUnlessDoubt(!begin);
  finding.is_doubt = finding.is_doubt && !MayKeepRequestsOpen(model.dictionaries);
  finding.signal = Signal::kRequests;
  finding.kind = kStalledRequests;
  finding.title = "No request ended for " + FormatDuration(stall.length_ns()) + ", while " +
                  FormatCount(stall.in_progress) + " were in progress";
  finding.evidence = "From " + FormatMoment(stall.from_ns) + " on; " + FormatCount(stall.started) +
                     " began in this time. Otherwise, " + FormatRate(rate) + " a second ended.";
  if (begin || finding.is_doubt) {
    finding.evidence += " What they waited for was not recorded. " + HowToLook(&model);
  }
  if (!begin) finding.evidence += " WebSockets and long polls look the same.";
  finding.command = "timeline";
  finding.impact = static_cast<double>(stall.length_ns()) / 1e9 / SecondsOf(model);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
