// What waits and will never proceed: deadlocks, and async work that is never completed.
#include <algorithm>
#include <cctype>
#include <optional>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string TargetText(const WaitTarget& target) {
  if (target.kind.empty()) return "something unknown";
  return target.name().empty() ? "a " + target.kind : target.kind + " " + target.name();
}

// Events alone do not show the type of what a member waits for: then the place says more.
std::string TargetText(const DeadlockMember& member) {
  std::string out = TargetText(member.waits_for);
  if (!member.waits_for.name().empty()) return out;
  if (!member.site.empty()) out += " in " + member.site;
  return out;
}

// What the members wait for, without repetitions, at most two.
std::string TargetsOf(const Deadlock& deadlock) {
  if (deadlock.members.empty()) return TargetText(deadlock.cause);
  std::vector<std::string> targets;
  for (const DeadlockMember& member : deadlock.members) {
    std::string text = TargetText(member);
    if (std::find(targets.begin(), targets.end(), text) == targets.end()) {
      targets.push_back(std::move(text));
    }
  }
  if (targets.size() == 1) return targets.front();
  return targets[0] + (targets.size() == 2 ? " and " : ", ") + targets[1] +
         (targets.size() == 2 ? "" : ", ...");
}

std::string SubjectOf(const Deadlock& deadlock) {
  if (deadlock.members.empty()) return deadlock.cause.name();
  const DeadlockMember& first = deadlock.members.front();
  return first.task_type.empty() ? first.waits_for.name() : first.task_type;
}

std::string_view ProofName(Proof proof) {
  switch (proof) {
    case Proof::kCertain:
      return "certain";
    case Proof::kLikely:
      return "likely";
    case Proof::kPossible:
      break;
  }
  return "possible";
}

// "step-0" in Shop.Bank.Book
std::string MemberText(const DeadlockMember& member) {
  if (!member.os_id) return member.task_type;
  std::string out =
      member.name.empty() ? "thread " + std::to_string(*member.os_id) : '"' + member.name + '"';
  if (!member.site.empty()) out += " in " + member.site;
  return out;
}

std::string EvidenceText(const Deadlock& deadlock) {
  if (deadlock.members.empty()) {
    return deadlock.evidence.empty() ? std::string() : deadlock.evidence.front();
  }
  constexpr size_t kMost = 3;
  std::string out;
  const size_t reported = std::min(deadlock.members.size(), kMost);
  for (size_t i = 0; i < reported; ++i) {
    out += (i == 0 ? "" : ", ") + MemberText(deadlock.members[i]);
  }
  if (deadlock.members.size() > reported) {
    out += " and " + FormatCount(deadlock.members.size() - reported) + " more";
  }
  return out + (deadlock.members.size() == 1 ? " waits for something that only it can provide."
                                             : " wait for each other.");
}

std::string Capital(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

// Deadlocks of tasks with equal names, as a service has them once for each of its keys or
// customers. Threads have numbers, and are few.
struct AlikeDeadlocks {
  const Deadlock* first;
  uint64_t count = 1, victims = 0;

  bool Has(const Deadlock& other) const {
    const auto is_task = [](const DeadlockMember& member) { return !member.os_id; };
    return std::ranges::all_of(other.members, is_task) && first->kind == other.kind &&
           first->proof == other.proof && first->members.size() == other.members.size() &&
           TargetsOf(*first) == TargetsOf(other) && EvidenceText(*first) == EvidenceText(other);
  }
};

std::vector<AlikeDeadlocks> Together(const std::vector<Deadlock>& deadlocks) {
  std::vector<AlikeDeadlocks> all;
  for (const Deadlock& deadlock : deadlocks) {
    const auto alike =
        std::ranges::find_if(all, [&](const AlikeDeadlocks& known) { return known.Has(deadlock); });
    if (alike == all.end()) {
      all.push_back({.first = &deadlock, .victims = deadlock.victims});
    } else {
      alike->count += 1;
      alike->victims += deadlock.victims;
    }
  }
  return all;
}

// Whether it may as well be a signal, for which workers wait that have nothing to do: nothing was
// found to hold it, it lets in more than one at a time, and those that wait are a hosted service,
// or few, and no requests.
bool MayBeSignal(const Deadlock& deadlock, const HeapReports* heap, const OverviewRules& rules) {
  if (heap == nullptr || deadlock.proof != Proof::kPossible || deadlock.kind != "never released") {
    return false;
  }
  const auto is_of_host = [](const std::string& method) {
    return method.starts_with("Microsoft.Extensions.Hosting.");
  };
  bool is_service = false;
  for (const DeadlockVictims& victims : deadlock.crowd) is_service |= is_of_host(victims.at);
  for (const TaskGroup& group : heap->tasks.groups) {
    const bool waits_for_it = std::ranges::any_of(
        deadlock.crowd, [&](const auto& victims) { return victims.at == group.place; });
    if (!waits_for_it) continue;
    if (group.requests > 0 || group.awaits_lock) return false;
    is_service |= std::ranges::any_of(group.stack, is_of_host);
  }
  return is_service || deadlock.victims < rules.stuck_tasks;
}

Finding FindingOf(const AlikeDeadlocks& alike, uint64_t threads, const HeapReports* heap,
                  const OverviewRules& rules) {
  const Deadlock& deadlock = *alike.first;
  Finding finding;
  finding.severity = deadlock.proof != Proof::kPossible   ? Severity::kCritical
                     : MayBeSignal(deadlock, heap, rules) ? Severity::kNote
                                                          : Severity::kWarning;
  finding.kind = deadlock.kind;
  std::replace(finding.kind.begin(), finding.kind.end(), ' ', '-');
  finding.subject = SubjectOf(deadlock);
  const bool is_noun = deadlock.kind.ends_with("cycle");
  finding.title = deadlock.proof == Proof::kPossible
                      ? (is_noun ? "Possibly a " : "Possibly ") + deadlock.kind
                      : Capital(deadlock.kind);
  if (deadlock.members.size() > 1) finding.title += " of " + FormatCount(deadlock.members.size());
  finding.title += ": " + TargetsOf(deadlock);
  if (alike.count > 1) finding.title += ", " + FormatCount(alike.count) + " times";
  if (alike.victims > 0) {
    finding.title += "; " + FormatCount(alike.victims) + " more " +
                     (alike.victims == 1 ? "waits" : "wait") +
                     (alike.count == 1 ? " behind it" : " behind them");
  }
  finding.evidence = Capital(std::string(ProofName(deadlock.proof)));
  if (const std::string text = EvidenceText(deadlock); !text.empty()) {
    finding.evidence += ": " + text;
  }
  finding.command = "deadlocks";
  const auto stuck = static_cast<double>(alike.count * deadlock.members.size() + alike.victims);
  finding.impact = std::min(1.0, stuck / std::max(1.0, static_cast<double>(threads)));
  return finding;
}

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
  if (group.moved == 0) return {};
  return ", and " + Plural(group.moved, "other") + (group.moved == 1 ? " has" : " have") +
         " progressed since";
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
    finding.evidence += Progress(group);
  } else if (report.moved_since != 0) {
    finding.evidence = "A collection has moved all objects since snapshot " +
                       std::to_string(report.moved_since) +
                       ", so which of them were there is not known; take another snapshot";
  } else {
    finding.evidence = "One snapshot cannot distinguish slow from stuck; take a second one";
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

// Whether a deadlock, at least this well proved, has its methods among those that wait behind it.
bool IsInDeadlock(const TaskGroup& group, const DeadlockReport& report, Proof least) {
  return std::ranges::any_of(report.deadlocks, [&](const Deadlock& deadlock) {
    return deadlock.proof >= least &&
           std::ranges::any_of(deadlock.crowd, [&](const DeadlockVictims& victims) {
             return victims.at == group.place;
           });
  });
}

// A lock for async methods, held across an await, or a channel without room: no thread waits for
// it, so only a snapshot shows who does.
Finding QueueOf(const TaskGroup& group, const TaskReport& report, const OverviewRules& rules) {
  Finding finding;
  const bool is_slow = report.between_ns >= rules.stuck_ns &&
                       group.requests >= rules.waiting_requests &&
                       group.unchanged >= rules.stuck_tasks;
  finding.severity = is_slow ? Severity::kWarning : Severity::kNote;
  finding.is_doubt = !is_slow && report.before == 0 && group.requests >= rules.waiting_requests;
  finding.kind = "queued-tasks";
  finding.subject = group.place;
  finding.title = Plural(group.count, NounOf(group)) +
                  (group.is_full ? " wait for room in a full channel" : " wait for one semaphore");
  if (const std::string field = FieldOf(group); !field.empty()) finding.title += ", " + field + ",";
  finding.title += " in " + group.place;
  finding.evidence = group.is_full       ? "What reads from it does not keep up. "
                     : group.awaits_lock ? "It lets in one at a time. "
                                         : "Its count is 0. ";
  if (report.before == 0) {
    finding.evidence += "A single snapshot does not show how long they wait: take a second one.";
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
  return group.is_yours && group.requests >= rules.waiting_requests &&
         group.awaits.starts_with("System.Threading.Channels.");
}

// Requests that ended between the two snapshots; nullopt: not recorded.
std::optional<uint64_t> EndedBetween(const Reports& reports) {
  if (!reports.events || reports.events->model.requests.samples.empty()) return std::nullopt;
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

}  // namespace

Coverage JudgeDeadlocks(const Reports& reports, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  const DeadlockReport& report = reports.deadlocks;
  const WaitModel::Counts& counts = report.looked_at;
  for (const AlikeDeadlocks& alike : Together(report.deadlocks)) {
    findings.push_back(FindingOf(alike, counts.threads, reports.heap.get(), rules));
  }
  const RecordingFacts* const facts = reports.events ? &reports.events->model.facts : nullptr;
  const bool has_waits = facts != nullptr && (facts->locks_on || facts->waits_on);
  if (!reports.deadlocks_from_heap && !has_waits) {
    return NotRecorded("+locks,+waits");
  }
  Coverage coverage;
  coverage.looked_at = Plural(counts.threads, "thread") + ", " +
                       FormatCount(counts.waiting_threads()) + " blocked; " +
                       Plural(counts.locks, "lock");
  if (!reports.deadlocks_from_heap) {
    const DeadlockVerdict verdict = VerdictOf(report, false);
    coverage.state = Coverage::State::kPartly;
    coverage.note = verdict.is_all_clear ? "Based on waits for locks only; waits for tasks, "
                                           "semaphores and events need a heap snapshot."
                                         : verdict.headline;
    return coverage;
  }
  coverage.looked_at += ", " + Plural(counts.unfinished_tasks, "unfinished task");
  if (counts.unknown_owners > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The owner of " + Plural(counts.unknown_owners, "lock") + " is unknown.";
  } else if (counts.threads == 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The snapshot has no thread stacks.";
  } else if (counts.monitors_unknown) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The snapshot does not show who holds which monitor.";
  } else if (counts.unknown_tasks > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The " + UnknownTasks(counts.unknown_tasks) + ".";
  }
  return coverage;
}

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
  JudgeLostRequests(report, rules, findings);
  if (report.shutdown) JudgeShutdown(reports, rules, findings);
  for (const TaskGroup& group : report.groups) {
    if (AwaitsHttpConnection(group) || group.is_of_shutdown) continue;
    if (!AwaitsSomebody(group)) {
      if (is_conclusive && group.unchanged >= rules.stuck_tasks && MayAwaitAnswer(group)) {
        findings.push_back(Unanswered(group, report, rules, ended));
      } else if (!is_conclusive && ReadChannels(group, rules)) {
        findings.push_back(FindingOf(group, report, rules, Severity::kNote, group.count));
      }
      continue;
    }
    const bool is_queue = IsQueue(group, rules);
    if (is_queue && IsInDeadlock(group, reports.deadlocks, Proof::kLikely)) continue;
    const bool is_in_deadlock =
        is_queue && IsInDeadlock(group, reports.deadlocks, Proof::kPossible);
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
    } else if (is_queue) {
      if (!is_in_deadlock) findings.push_back(QueueOf(group, report, rules));
    } else if (!is_conclusive && AreManyForAMoment(group, rules) && IsInformative(group, report)) {
      findings.push_back(FindingOf(group, report, rules, Severity::kNote, group.count));
    }
  }
  Coverage coverage;
  coverage.looked_at =
      Plural(report.unfinished, "unfinished task") + " of " + FormatCount(report.tasks);
  if (report.unfinished == 0 && report.unknown == 0) {
    coverage.state = Coverage::State::kNothingThere;
  } else if (report.unfinished > 0 && !is_conclusive) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Distinguishing slow from stuck takes two snapshots, at least " +
                    FormatDuration(rules.stuck_ns) + " apart.";
  } else if (report.unknown > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The " + UnknownTasks(report.unknown) + ".";
  }
  return coverage;
}

}  // namespace hindsight::analyzer
