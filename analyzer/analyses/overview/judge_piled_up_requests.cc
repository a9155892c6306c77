// Requests that begin faster than they end: more and more are in progress, and each takes longer.
// A queue in front of anything looks like that: a limiter, a lock, a pool of connections. It is
// reported only if nothing else explains it.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_flow.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

struct PileUp {
  int64_t from_ns = 0, to_ns = 0;
  RequestFlow first, last;  // thirds
  double most = 0;          // in progress at the end of it
};

// Whether it grows from third to third, and not only because the load does: then the time that a
// request takes grows as well. In an outage, too few end to show how long they take.
std::optional<PileUp> PileUpIn(const Requests& requests, int64_t from_ns, int64_t to_ns,
                               uint64_t least_ns, const OverviewRules& rules) {
  const int64_t third_ns = (to_ns - from_ns) / 3;
  if (to_ns - from_ns < static_cast<int64_t>(least_ns)) return std::nullopt;
  const RequestFlow first = FlowOf(requests, from_ns, from_ns + third_ns);
  const RequestFlow middle = FlowOf(requests, from_ns + third_ns, to_ns - third_ns);
  const RequestFlow last = FlowOf(requests, to_ns - third_ns, to_ns);
  const auto more = static_cast<double>(rules.piled_up_requests);
  const bool is_same_load = last.started <= rules.piled_up_load * first.started;
  const double least_seconds =
      is_same_load ? rules.piled_up_seconds_of_same_load : rules.piled_up_seconds;
  const bool is_steady = middle.in_progress >= first.in_progress + more / 4 &&
                         last.in_progress >= middle.in_progress + more / 4;
  if (!is_steady || last.in_progress < first.in_progress + more ||
      last.in_progress < rules.piled_up_growth * first.in_progress ||
      last.seconds_each() < least_seconds ||
      (!is_same_load && last.seconds_each() < rules.piled_up_growth * first.seconds_each())) {
    return std::nullopt;
  }
  return PileUp{from_ns, to_ns, first, last, last.in_progress};
}

// From `from_ns` on, until most were in progress; nothing if there were far fewer when the last one
// began. If they stay as many from some moment on, until then: a client sends only so many at once.
std::optional<PileUp> PileUpFrom(const Requests& requests, int64_t from_ns,
                                 const OverviewRules& rules) {
  int64_t in_progress = 0, most = 0, peak_ns = from_ns;
  std::vector<std::pair<int64_t, int64_t>> numbers;  // times, and how many were in progress
  for (const RequestSample& sample : requests.samples) {
    in_progress += static_cast<int64_t>(sample.started) - static_cast<int64_t>(sample.finished);
    if (sample.started == 0 || sample.at_ns <= from_ns) continue;
    numbers.emplace_back(sample.at_ns, in_progress);
    if (in_progress < most) continue;
    most = in_progress;
    peak_ns = sample.at_ns;
  }
  const auto is_at_least = [most](int64_t number, double share) {
    return static_cast<double>(number) >= share * static_cast<double>(most);
  };
  if (numbers.empty() || !is_at_least(numbers.back().second, rules.piled_up_still)) {
    return std::nullopt;
  }
  std::optional<PileUp> pile_up =
      PileUpIn(requests, from_ns, peak_ns, rules.piled_up_briefly_ns, rules);
  if (!pile_up) {
    const auto rest = std::ranges::find_if(
        numbers, [&](const auto& at) { return is_at_least(at.second, rules.piled_up_peak); });
    const int64_t stays_ns = numbers.back().first - rest->first;
    const bool stay = std::all_of(rest, numbers.end(), [&](const auto& at) {
      return is_at_least(at.second, rules.piled_up_still);
    });
    if (stay && stays_ns >= static_cast<int64_t>(rules.piled_up_briefly_ns)) {
      pile_up = PileUpIn(requests, from_ns, rest->first, rules.piled_up_briefly_ns / 2, rules);
    }
  }
  if (pile_up) pile_up->most = std::max(pile_up->most, static_cast<double>(most));
  return pile_up;
}

// The longest: it may have begun late, or after a peak at start-up.
std::optional<PileUp> PileUpOf(const Requests& requests, const OverviewRules& rules) {
  constexpr int kBegins = 8;
  const auto has_begun = [](const RequestSample& sample) { return sample.started > 0; };
  const auto first = std::ranges::find_if(requests.samples, has_begun);
  const auto end = requests.samples.end();
  if (first == end) return std::nullopt;
  const int64_t all_ns = requests.samples.back().at_ns - first->at_ns;
  for (int i = 0; i < kBegins; ++i) {
    const auto pile_up = PileUpFrom(requests, first->at_ns + all_ns / kBegins * i, rules);
    if (pile_up) return pile_up;
  }
  return std::nullopt;
}

// In the newest heap snapshot: the place of yours where most requests wait; nullptr: unknown.
const TaskGroup* MostWaiting(const Reports& reports, const OverviewRules& rules) {
  if (!reports.heap) return nullptr;
  const TaskGroup* most = nullptr;
  for (const TaskGroup& group : reports.heap->tasks.groups) {
    if (!group.is_yours || group.requests < rules.waiting_requests) continue;
    if (most == nullptr || group.requests > most->requests) most = &group;
  }
  return most;
}

// Requests that wait for a message of their client, in the newest heap snapshot.
uint64_t OpenConnections(const Reports& reports) {
  uint64_t count = 0;
  if (!reports.heap) return count;
  for (const TaskGroup& group : reports.heap->tasks.groups) {
    if (group.AwaitsWebSocket()) count += group.requests;
  }
  return count;
}

}  // namespace

void JudgePiledUpRequests(const Reports& reports, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  const Model& model = reports.events->model;
  const std::optional<PileUp> pile_up = PileUpOf(model.requests, rules);
  if (!pile_up || std::ranges::any_of(findings, StopsService)) return;
  if (2 * static_cast<double>(OpenConnections(reports)) >= pile_up->last.in_progress) return;
  Finding finding;
  const bool may_stay_open = MayKeepRequestsOpen(model.dictionaries);
  const bool is_brief = pile_up->to_ns - pile_up->from_ns < static_cast<int64_t>(rules.piled_up_ns);
  finding.WarnUnlessDoubt(may_stay_open || is_brief);
  finding.signal = Signal::kRequests;
  finding.kind = "piled-up-requests";
  finding.title = "Requests pile up: " + FormatRate(pile_up->first.in_progress) + " -> " +
                  FormatRate(pile_up->most) + " in progress";
  const TaskGroup* const most = MostWaiting(reports, rules);
  finding.command = most != nullptr ? "tasks" : "timeline";
  if (most != nullptr) {
    finding.subject = most->place;
    finding.title += ", most of them in " + most->place;
  }
  finding.evidence = "From " + FormatMoment(pile_up->from_ns) + " to " +
                     FormatMoment(pile_up->to_ns) + "; finally, " +
                     FormatRate(pile_up->last.started) + " began and " +
                     FormatRate(pile_up->last.finished) + " ended a second.";
  if (most != nullptr) {
    finding.evidence += " In the newest snapshot, " + Plural(most->requests, "request") +
                        (most->requests == 1 ? " awaits " : " await ") + most->awaits + " there.";
  } else if (const std::string where = WhereRequestsWait(reports.events->requests.work, rules);
             !where.empty()) {
    finding.evidence += " " + where;
    finding.command = "requests";
  } else {
    finding.evidence += " What they waited for was not recorded. " + HowToLook(&model);
  }
  if (may_stay_open) finding.evidence += " Connections that stay open look the same.";
  finding.impact = std::min(
      1.0, pile_up->last.in_progress / (pile_up->last.in_progress + pile_up->last.finished));
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
