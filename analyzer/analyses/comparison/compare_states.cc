// States at the end of one recording that the other does not have: deadlocks, dead threads, a
// starved pool, what ended the process; and the contents of heaps. None of this is sampled.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/inlined_sites.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/analyses/overview/finding_key.h"
#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

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

std::string BytesFromTo(uint64_t before, uint64_t after) {
  return FormatBytes(before) + " -> " + FormatBytes(after);
}

Difference OfHeap(const std::string& type, const HeapNumbers& first, const HeapNumbers& last,
                  uint64_t heap_bytes, const ComparisonRules& rules) {
  Difference difference;
  difference.signal = Signal::kHeap;
  difference.level = Difference::Level::kPath;
  difference.measure = "heap.retained";
  difference.subject = type;
  difference.unit = Unit::kBytes;
  difference.before = static_cast<double>(first.retained);
  difference.after = static_cast<double>(last.retained);
  difference.direction = DirectionOf(difference.before, difference.after);
  difference.confidence = rules.confidence_of_snapshot;
  difference.impact = std::min(1.0, std::abs(difference.after - difference.before) /
                                        static_cast<double>(std::max<uint64_t>(1, heap_bytes)));
  difference.amounts = BytesFromTo(first.retained, last.retained);
  difference.evidence = FormatCount(first.objects) + " -> " + Plural(last.objects, "object") +
                        " in the newest snapshot of each";
  difference.title =
      type + " retains " +
      (last.retained >= first.retained ? FormatBytes(last.retained - first.retained) + " more"
                                       : FormatBytes(first.retained - last.retained) + " less") +
      ": " + difference.amounts;
  difference.command = "paths " + ShellWord(type);
  return difference;
}

// Whether the other snapshots in the heap's own recording show that it was not there before.
bool CameAtLast(const HeapReports& heap, TypeId type) {
  return std::any_of(
      heap.leaks.suspects.begin(), heap.leaks.suspects.end(),
      [type](const LeakSuspect& suspect) { return suspect.type == type && suspect.came_at_last; });
}

// Whether it contains nothing of the application, and is not held by it, other than by a frame,
// since anything may be on the stack.
bool IsFrameworks(const HeapReports& heap, const TypeOwners& owners, const PathGrowth& growth,
                  const ComparisonRules& rules) {
  const Dictionaries& dictionaries = heap.model.dictionaries;
  // A single object of the framework that now holds what others held: nothing accumulates.
  const auto [fewest, most] =
      std::minmax(growth.series.front().objects, growth.series.back().objects);
  const bool is_array = dictionaries.type(growth.type).element != 0;
  if (most - fewest < rules.few_of_framework && !is_array && owners.IsFramework(growth.type)) {
    return true;
  }
  if (!owners.IsFrameworkAltogether(growth.type)) return false;
  return std::all_of(
      growth.path.steps.begin(), growth.path.steps.end(), [&](const OwnerStep& step) {
        if (!owners.IsFrameworkAltogether(step.to)) return false;
        const bool is_static =
            step.kind == OwnerStep::Kind::kStatic || step.kind == OwnerStep::Kind::kThreadStatic;
        return !is_static || owners.IsFramework(heap.model.graph.statics()[step.key.owner].type);
      });
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

std::string CompareSnapshots(const HeapReports& before, const HeapReports& after,
                             const ComparisonRules& rules, Comparison& comparison) {
  HeapPaths old_paths, new_paths;
  const auto summary = [](const HeapReports& heap, HeapPaths& folded) {
    return SummarizeHeap(heap.model, heap.names, heap.paths, heap.dominators, heap.tree, &folded);
  };
  const HeapSummary old_heap = summary(before, old_paths), new_heap = summary(after, new_paths);
  const uint64_t most = std::max(old_heap.bytes, new_heap.bytes);
  const DiffRules diff_rules{.min_share = rules.min_share_of_heap};
  uint64_t of_framework = 0;  // that grew
  std::string largest;
  // What shrank is what grew in the opposite direction.
  const auto add = [&](const HeapSummary& from, const HeapSummary& to, const HeapReports& heap,
                       const HeapPaths& folded, bool is_growth) {
    const HeapSummary heaps[] = {from, to};
    const HeapDiff diff =
        CompareHeaps(heaps, heap.model, heap.names, heap.paths, folded, diff_rules);
    const TypeOwners owners(heap.model);
    for (const PathGrowth& growth : diff.paths) {
      const HeapNumbers& less = growth.series.front();
      const HeapNumbers& more = growth.series.back();
      const std::string type = TypeDisplayName(heap.model.dictionaries, growth.type);
      const uint64_t bytes = more.retained - less.retained;
      if (IsFrameworks(heap, owners, growth, rules) &&
          static_cast<double>(bytes) <
              rules.min_share_of_frameworks_heap * static_cast<double>(most)) {
        if (is_growth && of_framework == 0) largest = type;
        if (is_growth) of_framework += bytes;
        continue;
      }
      if (CameAtLast(heap, growth.type)) {
        comparison.notes.push_back(type + " retains " + FormatBytes(bytes) + " in the newest " +
                                   "snapshot of the " + (is_growth ? "second" : "first") +
                                   " recording, and nothing in those before: a moment, for all "
                                   "that is known.");
        continue;
      }
      Difference difference =
          OfHeap(type, is_growth ? less : more, is_growth ? more : less, most, rules);
      difference.path = OwnerParts(heap.model, heap.names, growth.path);
      comparison.differences.push_back(std::move(difference));
    }
  };
  add(old_heap, new_heap, after, new_paths, true);
  add(new_heap, old_heap, before, old_paths, false);
  if (of_framework > 0) {
    std::string title = "Memory held by the framework itself grew by " + FormatBytes(of_framework) +
                        ", mostly " + largest;
    comparison.notes.push_back(title + ": buffers, connections and tables grow with the load.");
    if (comparison.perhaps.empty() && of_framework >= rules.much_of_framework &&
        static_cast<double>(of_framework) >=
            rules.most_of_framework * static_cast<double>(new_heap.bytes)) {
      comparison.perhaps = std::move(title);
    }
  }
  return FormatBytes(old_heap.bytes) + " and " + FormatBytes(new_heap.bytes) + " in use";
}

}  // namespace hindsight::analyzer
