// States at the end of one recording that the other does not have: deadlocks, dead threads, a
// starved pool, what ended the process. None of this is sampled.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/inlined_sites.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/analyses/overview/finding_key.h"
#include "analyzer/analyses/overview/hot_method.h"

namespace hindsight::analyzer {
namespace {

bool IsState(const Finding& finding) {
  switch (finding.signal) {
    case Signal::kDeadlocks:
    case Signal::kTasks:
    case Signal::kThreads:
    case Signal::kPool:
      return true;
    case Signal::kLocks:
      return true;
    case Signal::kRequests:
      return finding.kind == "piled-up-requests" || finding.kind == "stalled-requests";
    case Signal::kExceptions:
      return finding.severity == Severity::kCritical;
    case Signal::kHeap:
      return finding.kind == "native-memory" || finding.kind == "climbing-memory" ||
             finding.kind.starts_with("open-files");
    case Signal::kAllocations:
      return finding.kind == "http-clients";
    case Signal::kPauses:
      return finding.kind == "heap-grows";
    case Signal::kCpu:
      return finding.kind == "compiling";
    default:
      return false;
  }
}

// Includes notes: a state that is a note in one recording and a warning in the other is in both.
std::map<FindingKey, Finding> StatesOf(const Reports& reports, const InlinedSites* inlined,
                                       InlinedSites::Side side) {
  std::map<FindingKey, Finding> states;
  for (const Finding& finding : FindAll(reports).findings) {
    if (!IsState(finding)) continue;
    FindingKey key = KeyOf(finding);
    if (key.kind == "hot-lock") key.kind = "convoy";  // the same, if fewer threads wait
    if (inlined != nullptr) key.subject = inlined->Of(side, key.subject);
    states.emplace(std::move(key), finding);
  }
  return states;
}

// Whether the recording is in that state as well, perhaps less so. A pool may be so without a place
// that is to blame, or its workers wait for a lock, but too few of them.
bool IsIn(const std::map<FindingKey, Finding>& states, const FindingKey& key) {
  if (states.contains(key)) return true;
  return key.signal == Signal::kPool && std::ranges::any_of(states, [&key](const auto& state) {
           const FindingKey& other = state.first;
           const bool is_same_lock = other.signal == Signal::kLocks && other.subject == key.subject;
           return is_same_lock || (other.signal == key.signal && other.kind == key.kind &&
                                   (other.subject.empty() || key.subject.empty()));
         });
}

// Whether the finding about what keeps the JIT compiler busy is on one side of its threshold only
// because much more is compiled there.
bool CompilesMore(const EventReports& more, const EventReports& less,
                  const ComparisonRules& rules) {
  const auto cores = [](const CpuProfileReport& cpu) {
    return cpu.whole.amount > 0 ? cpu.cores * CompilingOf(cpu).amount / cpu.whole.amount : 0;
  };
  return cores(more.cpu) >= rules.compiling_factor * cores(less.cpu);
}

Difference Of(const Finding& finding, bool is_new, const ComparisonRules& rules) {
  Difference difference;
  difference.signal = finding.signal;
  difference.direction = is_new ? Difference::Direction::kNew : Difference::Direction::kGone;
  difference.measure = kStateMeasure;
  difference.subject = finding.subject;
  difference.before = is_new ? 0 : 1;
  difference.after = is_new ? 1 : 0;
  difference.confidence = rules.confidence_of_finding;
  // What was wrong before the end is more important.
  const bool is_of_end = finding.kind == "slow-shutdown";
  const double least = is_of_end ? 0 : rules.weights.state;
  difference.impact = finding.severity == Severity::kCritical ? 1 : std::max(least, finding.impact);
  difference.amounts = is_new ? "no -> yes" : "yes -> no";
  difference.title = (is_new ? "" : "No longer: ") + finding.title;
  difference.evidence = finding.evidence;
  difference.command = finding.command;
  return difference;
}

}  // namespace

void CompareStates(const Reports& before, const Reports& after,
                   const std::function<bool(Signal)>& is_compared, const ComparisonRules& rules,
                   Comparison& comparison) {
  std::optional<InlinedSites> sites;
  if (before.events && after.events) sites.emplace(*before.events, *after.events);
  const InlinedSites* const inlined = sites ? &*sites : nullptr;
  using Side = InlinedSites::Side;
  const std::map<FindingKey, Finding> old_states = StatesOf(before, inlined, Side::kBefore);
  const std::map<FindingKey, Finding> new_states = StatesOf(after, inlined, Side::kAfter);
  const auto add = [&](const std::map<FindingKey, Finding>& from,
                       const std::map<FindingKey, Finding>& other, bool is_new) {
    for (const auto& [key, finding] : from) {
      if (IsIn(other, key) || !is_compared(finding.signal)) continue;
      if (finding.signal == Signal::kCpu &&
          !CompilesMore(*(is_new ? after : before).events, *(is_new ? before : after).events,
                        rules)) {
        continue;
      }
      if (finding.severity != Severity::kNote) {
        comparison.differences.push_back(Of(finding, is_new, rules));
      } else if (finding.is_doubt && finding.signal == Signal::kRequests) {
        comparison.Note((is_new ? "" : "No longer: ") + finding.title,
                        std::string("Only in the ") + (is_new ? "second" : "first") + " recording.",
                        true);
      }
    }
  };
  add(new_states, old_states, true);
  add(old_states, new_states, false);
}

}  // namespace hindsight::analyzer
