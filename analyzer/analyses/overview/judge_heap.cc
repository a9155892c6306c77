// What accumulates in the newest heap snapshot.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/heap/leak_series.h"
#include "analyzer/analyses/heap/owners.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

// Of a long path, where it begins and ends: the rest is mostly the inside of a host or a library.
// `leaks` shows all of it.
std::string PathText(const std::vector<std::string>& parts) {
  constexpr size_t kFirst = 2, kLast = 8;
  std::string path;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!path.empty()) path += " -> ";
    if (parts.size() > kFirst + kLast + 1 && i == kFirst) {
      const size_t left_out = parts.size() - kFirst - kLast;
      path += "(" + FormatCount(left_out) + " more) -> ";
      i += left_out;
    }
    path += parts[i];
  }
  return path;
}

// Your field that leads to what accumulates: " OrderCache._orders", for a title. Empty: only others
// hold it.
std::string HolderText(const HeapReports& heap, const TypeOwners& owners,
                       const LeakSuspect& suspect) {
  const OwnerStep* holder = YourHolder(heap.model, heap.names, owners, suspect.path, suspect.type);
  if (holder == nullptr) return {};
  // A DbContext's fields are its base class's.
  if (suspect.kind == LeakKind::kChangeTracker && holder->kind == OwnerStep::Kind::kField) {
    return ' ' + TypeBriefName(heap.model.dictionaries, holder->from);
  }
  return ' ' + HolderName(heap.model, heap.names, *holder);
}

// The async method of yours that awaits most of the suspect's timeouts, as a loop with a Task.Delay
// does; null: there is none that awaits half of them.
const TaskGroup* LoopOf(const HeapReports& heap, const LeakSuspect& suspect) {
  if (suspect.kind != LeakKind::kTimeouts) return nullptr;
  const auto weight = [](const TaskGroup& group) {
    return group.kind == TaskGroup::Awaits::kTimer && group.is_yours ? group.count : 0;
  };
  const auto most = std::ranges::max_element(heap.tasks.groups, {}, weight);
  const bool is_most = most != heap.tasks.groups.end() && 2 * weight(*most) >= suspect.count;
  return is_most ? &*most : nullptr;
}

Finding FindingOf(const HeapReports& heap, const TypeOwners& owners, const LeakSuspect& suspect,
                  const OverviewRules& rules) {
  Finding finding;
  // If a collection merely looks large, a single snapshot proves nothing.
  const bool may_expire =
      suspect.expiry && suspect.expiry->most_expire() && heap.leaks.series_ns < rules.cache_scan_ns;
  finding.severity = suspect.confidence == LeakConfidence::kLow || may_expire ? Severity::kNote
                                                                              : Severity::kWarning;
  finding.kind = suspect.kind_name;
  std::replace(finding.kind.begin(), finding.kind.end(), ' ', '-');
  finding.subject = TypeDisplayName(heap.model.dictionaries, suspect.type);
  const bool is_note = finding.severity == Severity::kNote;
  const std::string what = FormatCount(suspect.count) + " " + finding.subject;
  const TaskGroup* const loop = LoopOf(heap, suspect);
  if (loop != nullptr) {
    finding.subject = loop->place;
    finding.title = (is_note ? "Large: " : "Leak: ") + FormatCount(loop->count) +
                    " calls of async " + loop->place + " that await a timer";
  } else if (suspect.kind_name == kGrowingHeap) {
    finding.title = (is_note ? "Growing: " : "Leak: ") + what + ", more in each snapshot";
  } else if (suspect.kind_name == kQueueName && !is_note) {
    const std::string holder = HolderText(heap, owners, suspect);
    finding.title = "Backlog: " + what + " in " + (holder.empty() ? "a queue" : "queue" + holder);
  } else {
    finding.title = (is_note ? "Large: " : "Leak: ") + what + " in " + suspect.kind_name +
                    HolderText(heap, owners, suspect);
  }
  finding.title +=
      ", " + FormatBytes(suspect.retained) + ", " + FormatPercent(suspect.share) + " of the heap";
  const std::string path = PathText(OwnerParts(heap.model, heap.names, suspect.path));
  finding.evidence = SeriesSentence(suspect);
  if (!finding.evidence.empty() && !path.empty()) finding.evidence += ' ';
  finding.evidence += path;
  if (loop != nullptr) {
    finding.evidence +=
        ". Each call keeps what its variables refer to, and its AsyncLocals, until "
        "it ends: a loop needs an end.";
  }
  finding.command = loop != nullptr ? "tasks" : "leaks";
  finding.impact = std::clamp(suspect.share, 0.0, 1.0);
  finding.is_doubt = is_note && suspect.share >= rules.doubted_growth_share &&
                     (suspect.kind_name == kGrowingHeap || suspect.may_grow || may_expire);
  if (may_expire) {
    finding.evidence.insert(
        0, FormatCount(suspect.expiry->expiring) + " of " + FormatCount(suspect.expiry->entries) +
               " entries expire, but a MemoryCache removes expired ones only once a minute. ");
  }
  return finding;
}

// What the finalizer thread does in the snapshot, as a sentence; empty: it runs no code of yours.
std::string WhatFinalizes(const HeapReports& heap) {
  const Dictionaries& dictionaries = heap.model.dictionaries;
  FrameKinds kinds(dictionaries, heap.model.application);
  for (const WaitModel::Thread& thread : heap.waits.waits().threads) {
    if (dictionaries.String(thread.name) != kFinalizerThread) continue;
    const MethodId yours = kinds.InnermostYours(thread.path);
    if (yours == 0) break;
    using Kind = BlockingCall::Kind;
    return "The finalizer thread is in " + MethodDisplayName(dictionaries, yours) +
           (thread.call.kind == Kind::kNone    ? "."
            : thread.call.kind == Kind::kSleep ? ", where it sleeps."
                                               : ", where it waits.");
  }
  return {};
}

}  // namespace

Coverage JudgeHeap(const Reports& reports, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  if (reports.events) {
    JudgeMemoryLimit(*reports.events, rules, findings);
    JudgeNativeMemory(*reports.events, rules, findings);
    JudgeClimbingMemory(reports, rules, findings);
    JudgeOpenFiles(reports, rules, findings);
    JudgeGeneratedAssemblies(reports.events->model, rules, findings);
  }
  if (!reports.heap) return NoSnapshot(reports);
  const HeapReports& heap = *reports.heap;
  const TypeOwners owners(heap.model);
  for (const LeakSuspect& suspect : heap.leaks.suspects) {
    findings.push_back(FindingOf(heap, owners, suspect, rules));
    const std::string what =
        suspect.kind == LeakKind::kFinalizerQueue ? WhatFinalizes(heap) : std::string();
    if (!what.empty()) findings.back().evidence += ". " + what;
  }
  JudgeHttpClients(heap, rules, findings);
  JudgeFinalizableGarbage(heap, rules, findings);
  const HeapFacts& facts = heap.model.graph.facts;
  Coverage coverage;
  coverage.looked_at = "snapshot " + std::to_string(facts.number) + ": " +
                       Plural(heap.leaks.reachable_objects, "object") + ", " +
                       FormatBytes(heap.leaks.reachable_bytes) + " reachable";
  if (!facts.complete()) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The snapshot is incomplete: what accumulates may be missing.";
  } else if (std::string limit = SeriesLimit(heap.leaks); !limit.empty()) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = std::move(limit);
  }
  return coverage;
}

}  // namespace hindsight::analyzer
