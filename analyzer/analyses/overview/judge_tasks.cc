// Async work: what is never completed, and what waits for long.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/name_list.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// A semaphore lets in one after another, and so does a channel: if some have moved on, the others
// are not stuck.
bool IsMovingQueue(const TaskGroup& group) {
  return (group.kind == TaskGroup::Awaits::kSemaphore || group.is_full) && group.moved > 0;
}

// "request" if all of them answer one.
const char* NounOf(const TaskGroup& group) {
  return group.place.empty() ? "task" : group.requests == group.count ? "request" : "async method";
}

std::string Progress(const TaskGroup& group) {
  const uint64_t moved = group.moved - group.lost_sight;
  if (moved == 0) return {};
  return ", and " + Plural(moved, "other") + (moved == 1 ? " has" : " have") + " progressed since";
}

Finding FindingOf(const TaskGroup& group, const TaskReport& report, const OverviewRules& rules,
                  Severity severity, uint64_t count) {
  Finding finding;
  finding.severity = severity;
  finding.kind = severity == Severity::kNote ? "waiting-tasks" : "stuck-tasks";
  finding.subject = group.place.empty() ? group.awaits : group.place;
  finding.title =
      Plural(count, NounOf(group)) + (severity == Severity::kNote ? " waiting" : " stuck");
  if (!group.place.empty()) finding.title += " in " + finding.subject;
  if (IsMovingQueue(group)) finding.title += ": a slowly moving queue";
  finding.title += ", awaiting " + group.awaits;
  if (report.before != 0) {
    finding.evidence = FormatCount(group.unchanged) + " of " + FormatCount(group.count) +
                       " were at the same await " + FormatDuration(report.between_ns) + " earlier";
    if (group.unchanged < group.count && group.lost_sight > 0) {
      finding.evidence += ", and perhaps " +
                          FormatCount(std::min(group.lost_sight, group.count - group.unchanged)) +
                          " more, whose objects a collection may have moved";
    }
    finding.evidence += Progress(group);
  } else if (report.moved_since != 0) {
    finding.evidence = "A collection has moved all objects since snapshot " +
                       std::to_string(report.moved_since) +
                       ", so which of them were there is not known; take another snapshot";
  } else {
    finding.evidence =
        "One snapshot cannot distinguish slow from stuck; take two during one recording";
  }
  if (!group.holder.empty()) finding.evidence += "; what they await is held by " + group.holder;
  if (group.blocked_threads > 0) {
    finding.evidence += "; " + Plural(group.blocked_threads, "thread") + " blocked on them";
  }
  finding.evidence += ".";
  finding.command = "tasks";
  finding.impact =
      std::min(1.0, static_cast<double>(count) / std::max(1.0, static_cast<double>(report.chains)));
  // It is normal for services that this much is waiting at any moment.
  if (severity == Severity::kNote) finding.impact *= rules.one_moment;
  return finding;
}

// The field that holds what they await: the last part of the path, or of what leads to the channel.
// Empty: a handle or a frame does.
std::string FieldOf(const TaskGroup& group) {
  constexpr std::string_view kArrow = " -> ", kStatic = "static ";
  std::string_view path = group.holder, field = path;
  for (size_t at = path.rfind(kArrow); at != path.npos; at = path.rfind(kArrow)) {
    field = path.substr(at + kArrow.size());
    if (!field.starts_with("BoundedChannel<")) break;
    path = field = path.substr(0, at);
  }
  if (field.starts_with(kStatic)) field.remove_prefix(kStatic.size());
  return field.find(' ') == field.npos ? std::string(field) : std::string();
}

// A lock for async methods, held across an await, or a channel without room: no thread waits for
// it, so only a snapshot shows who does.
Finding QueueOf(const TaskGroup& group, const TaskReport& report, const OverviewRules& rules) {
  Finding finding;
  const bool is_slow = report.between_ns >= rules.stuck_ns &&
                       group.requests >= rules.waiting_requests &&
                       group.unchanged >= rules.stuck_tasks;
  finding.severity = is_slow ? Severity::kWarning : Severity::kNote;
  // With two snapshots, as many must have queued in both.
  const bool was_queue = group.unchanged + group.moved >= rules.waiting_requests;
  finding.is_doubt =
      !is_slow && group.requests >= rules.waiting_requests && (report.before == 0 || was_queue);
  finding.kind = "queued-tasks";
  finding.subject = group.place;
  finding.title = Plural(group.count, NounOf(group)) +
                  (group.is_full ? " wait for room in a full channel" : " wait for one semaphore");
  if (const std::string field = FieldOf(group); !field.empty()) finding.title += ", " + field + ",";
  finding.title += " in " + group.place;
  finding.evidence = group.is_full       ? "What reads from it does not keep up, or has ended. "
                     : group.awaits_lock ? "It lets in one at a time. "
                                         : "Its count is 0. ";
  if (report.before == 0) {
    finding.evidence += kOneSnapshot;
  } else {
    finding.evidence += FormatCount(group.unchanged) + " of them " +
                        (group.unchanged == 1 ? "was" : "were") + " at the same await " +
                        FormatDuration(report.between_ns) + " earlier";
    finding.evidence += Progress(group) + ".";
  }
  finding.command = "tasks";
  finding.impact = std::min(
      1.0, static_cast<double>(group.count) / std::max(1.0, static_cast<double>(report.chains)));
  return finding;
}

// For work that may well proceed: whether it says where to look, and is not known to proceed.
bool IsInformative(const TaskGroup& group, const TaskReport& report) {
  if (group.place.empty()) return false;
  return report.before == 0 || group.unchanged > 0;
}

// Whether someone has to complete what they await, and has not.
bool AwaitsSomebody(const TaskGroup& group) {
  using Awaits = TaskGroup::Awaits;
  return group.kind == Awaits::kPromise || group.kind == Awaits::kSemaphore ||
         group.kind == Awaits::kTasks || group.kind == Awaits::kUnknown || group.is_full;
}

bool AreManyForAMoment(const TaskGroup& group, const OverviewRules& rules) {
  const bool is_promise = group.is_yours && group.kind == TaskGroup::Awaits::kPromise;
  return group.count >= (is_promise ? rules.waiting_tasks_of_yours : rules.waiting_tasks) ||
         group.requests >= rules.waiting_requests;
}

// Whether they queue for a semaphore that serves as a lock, or requests for any semaphore or a full
// channel.
bool IsQueue(const TaskGroup& group, const OverviewRules& rules) {
  return group.is_yours && ((group.awaits_lock && group.count >= rules.queued_tasks) ||
                            (group.is_closed && group.requests >= rules.queued_tasks) ||
                            (group.is_full && group.requests >= rules.waiting_requests));
}

// A call of yours through a library that was not answered; or the way in which a library waits for
// rare events.
bool MayAwaitAnswer(const TaskGroup& group) {
  const bool is_call = group.kind == TaskGroup::Awaits::kSource && group.is_library_source;
  return group.is_yours && (is_call || AwaitsHttpAnswer(group));
}

// Requests that all wait to read from channels: streams do, and what takes from a pool of its own.
bool ReadChannels(const TaskGroup& group, const OverviewRules& rules) {
  return group.is_yours && group.requests >= rules.waiting_requests && group.AwaitsChannel();
}

// Requests that ended between the two snapshots; nullopt: not recorded.
std::optional<uint64_t> EndedBetween(const Reports& reports) {
  if (!reports.events || !reports.events->model.facts.requests_on) return std::nullopt;
  const Model& model = reports.events->model;
  const auto at_ns =
      static_cast<int64_t>(reports.heap->model.graph.facts.unix_ns - model.facts.started_unix_ns);
  const int64_t from_ns = at_ns - static_cast<int64_t>(reports.heap->tasks.between_ns);
  uint64_t ended = 0;
  for (const RequestSample& sample : model.requests.samples) {
    if (sample.at_ns > from_ns && sample.at_ns <= at_ns) ended += sample.finished;
  }
  return ended;
}

// Waiting for others is normal, even for long, as long as most requests end.
Finding Unanswered(const TaskGroup& group, const TaskReport& report, const OverviewRules& rules,
                   std::optional<uint64_t> ended) {
  const bool is_ill = group.requests >= rules.waiting_requests && ended && *ended < group.unchanged;
  Finding finding = FindingOf(group, report, rules, is_ill ? Severity::kWarning : Severity::kNote,
                              group.unchanged);
  if (AwaitsHttpAnswer(group)) {
    finding.title = Plural(group.unchanged, NounOf(group)) + (is_ill ? " stuck" : " waiting") +
                    " in " + finding.subject + ", awaiting the answer to an HTTP call";
  }
  if (is_ill) {
    finding.evidence += " Meanwhile " +
                        (*ended == 0 ? "no request" : "only " + Plural(*ended, "request")) +
                        " ended. Set a timeout that is shorter than a caller's patience.";
  }
  return finding;
}

// Requests of yours, fewer than `stuck_tasks`, none of which has got on: a doubt, because a request
// may be there to wait for news.
Finding FewStuckRequests(const TaskGroup& group, const TaskReport& report,
                         const OverviewRules& rules) {
  Finding finding = FindingOf(group, report, rules, Severity::kNote, group.unchanged);
  finding.is_doubt = true;
  finding.impact /= rules.one_moment;  // not only at one moment
  return finding;
}

bool AreFewStuckRequests(const TaskGroup& group, const OverviewRules& rules) {
  return group.is_yours && group.requests == group.count && group.unchanged == group.count &&
         group.moved == 0 && group.count >= rules.few_stuck_requests;
}

// What they await has completed, and a thread blocks until they are done: most likely the one on
// which they have to go on, as in a SynchronizationContext or a TaskScheduler with a single thread.
Finding StuckContinuations(const TaskGroup& group, const TaskReport& report,
                           const OverviewRules& rules) {
  Finding finding = FindingOf(group, report, rules, Severity::kWarning, group.unchanged);
  finding.kind = "stuck-continuation";
  finding.title = Plural(group.unchanged, NounOf(group)) +
                  (group.unchanged == 1 ? " does" : " do") + " not go on in " + group.place +
                  ", although what " + (group.unchanged == 1 ? "it awaits" : "they await") +
                  " has completed";
  finding.evidence +=
      " That may be the thread that has to run what follows: `await` instead of "
      "blocking.";
  return finding;
}

// Of groups that are not reported: "2 async calls of yours await what they awaited 11.20 s earlier,
// in Shop.Inbox.Take and Shop.Mail.Send". Empty: there are none.
std::string StillAwaiting(const TaskReport& report, const DeadlockReport& deadlocks,
                          const std::vector<Finding>& findings) {
  uint64_t count = 0;
  std::vector<std::string> places;
  for (const TaskGroup& group : report.groups) {
    if (group.unchanged == 0 || !group.is_yours || !AwaitsSomebody(group)) continue;
    const bool is_reported = std::ranges::any_of(
        findings, [&group](const Finding& found) { return found.subject == group.place; });
    if (is_reported || IsInDeadlock(group.place, deadlocks, Proof::kPossible)) continue;
    count += group.unchanged;
    if (std::ranges::find(places, group.place) == places.end()) places.push_back(group.place);
  }
  if (count == 0) return {};
  return Plural(count, "async call") + " of yours " +
         (count == 1 ? "awaits what it" : "await what they") + " awaited " +
         FormatDuration(report.between_ns) + " earlier, in " + MethodList(places);
}

}  // namespace

Coverage JudgeTasks(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  if (!reports.heap) return NoSnapshot(reports);
  const TaskReport& report = reports.heap->tasks;
  // What workers block on may itself wait for a worker.
  const bool is_starved =
      reports.events && reports.events->pool.verdict == PoolReport::Verdict::kStarved;
  const bool is_conclusive = report.before != 0 && report.between_ns >= rules.stuck_ns;
  const std::optional<uint64_t> ended = is_conclusive ? EndedBetween(reports) : std::nullopt;
  JudgeHttpQueue(*reports.heap, rules, findings);
  JudgeLostRequests(report, reports.deadlocks, rules, findings);
  if (report.shutdown) JudgeShutdown(reports, rules, findings);
  for (const TaskGroup& group : report.groups) {
    if (AwaitsHttpConnection(group) || group.is_of_shutdown) continue;
    if (!AwaitsSomebody(group)) {
      if (is_conclusive && group.unchanged >= rules.stuck_tasks && MayAwaitAnswer(group)) {
        findings.push_back(Unanswered(group, report, rules, ended));
      } else if (is_conclusive && group.is_due && group.unchanged > 0 &&
                 group.blocked_threads > 0 && group.is_yours && !is_starved) {
        findings.push_back(StuckContinuations(group, report, rules));
      } else if (!is_conclusive && ReadChannels(group, rules)) {
        findings.push_back(FindingOf(group, report, rules, Severity::kNote, group.count));
      }
      continue;
    }
    const bool is_queue = IsQueue(group, rules);
    if (is_queue && IsInDeadlock(group.place, reports.deadlocks, Proof::kLikely)) continue;
    const bool is_in_deadlock =
        is_queue && IsInDeadlock(group.place, reports.deadlocks, Proof::kPossible);
    const bool moves = is_queue && !is_in_deadlock && IsMovingQueue(group);
    if (is_conclusive && group.unchanged >= rules.stuck_tasks && !moves) {
      // What they await may be a thread. If no method is yours, it is how libraries wait for rare
      // events.
      const bool is_known = group.kind != TaskGroup::Awaits::kUnknown;
      const bool is_held_up = is_starved && group.blocked_threads > 0;
      const bool is_stuck = is_known && group.is_yours && !IsMovingQueue(group) && !is_held_up;
      const Severity severity = is_stuck ? Severity::kWarning : Severity::kNote;
      findings.push_back(FindingOf(group, report, rules, severity, group.unchanged));
      if (is_held_up) {
        findings.back().evidence +=
            " The thread pool is starved: what they await may only wait for a worker.";
      }
    } else if (is_conclusive && AreFewStuckRequests(group, rules)) {
      findings.push_back(FewStuckRequests(group, report, rules));
    } else if (is_queue) {
      if (!is_in_deadlock) findings.push_back(QueueOf(group, report, rules));
    } else if (!is_conclusive && AreManyForAMoment(group, rules) && IsInformative(group, report)) {
      findings.push_back(FindingOf(group, report, rules, Severity::kNote, group.count));
    }
  }
  JudgeCrowdedRequests(report, rules, findings);
  Coverage coverage;
  coverage.looked_at =
      Plural(report.unfinished, "unfinished task") + " of " + FormatCount(report.tasks);
  if (report.unfinished == 0 && report.unknown == 0) {
    coverage.state = Coverage::State::kNothingThere;
  } else if (report.unfinished > 0 && !is_conclusive) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Distinguishing slow from stuck takes two snapshots, at least " +
                    FormatDuration(rules.stuck_ns) + " apart.";
  } else if (const std::string still = StillAwaiting(report, reports.deadlocks, findings);
             !still.empty()) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = still + ": idle, or stuck; `hindsight tasks` shows them.";
  } else if (report.unknown > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The " + UnknownTasks(report.unknown) + ".";
  }
  return coverage;
}

}  // namespace hindsight::analyzer
