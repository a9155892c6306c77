// Threads and tasks that wait for each other and will never proceed.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// What the members wait for, without repetitions, at most two: of more, locks before tasks, which
// their methods name anyway.
std::string TargetsOf(const Deadlock& deadlock) {
  if (deadlock.members.empty()) return TargetText(deadlock.cause);
  std::vector<std::string> targets;
  size_t locks = 0;  // the first of them
  for (const DeadlockMember& member : deadlock.members) {
    std::string text = TargetText(member);
    if (std::find(targets.begin(), targets.end(), text) != targets.end()) continue;
    targets.push_back(std::move(text));
    if (member.waits_for.kind == "task") continue;
    std::rotate(targets.begin() + static_cast<ptrdiff_t>(locks), targets.end() - 1, targets.end());
    ++locks;
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
  const bool is_proved = deadlock.proof != Proof::kPossible;
  finding.severity = is_proved && !deadlock.times_out     ? Severity::kCritical
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
  if (deadlock.times_out) finding.evidence += " " + std::string(kTimesOut);
  finding.command = "deadlocks";
  const auto stuck = static_cast<double>(alike.count * deadlock.members.size() + alike.victims);
  finding.impact = std::min(1.0, stuck / std::max(1.0, static_cast<double>(threads)));
  return finding;
}

}  // namespace

bool IsInDeadlock(std::string_view place, const DeadlockReport& report, Proof least) {
  return std::ranges::any_of(report.deadlocks, [&](const Deadlock& deadlock) {
    return deadlock.proof >= least &&
           std::ranges::any_of(deadlock.crowd,
                               [&](const DeadlockVictims& victims) { return victims.at == place; });
  });
}

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

}  // namespace hindsight::analyzer
