// What is the case at the end of one recording and not of the other: deadlocks, dead threads, a
// pool that starves, what ended the process; and what heaps hold. Nothing of it is sampled.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/analyses/comparison/change_words.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

// One snapshot is one moment: how the heap is at others is not known.
constexpr double kOneSnapshot = 0.95;
constexpr double kFound = 0.99;
constexpr size_t kMostShrunk = 1;  // what a type retained was retained by its owners, too

bool IsState(const Finding& finding) {
  if (finding.severity == Severity::kNote) return false;
  switch (finding.signal) {
    case Signal::kDeadlocks:
    case Signal::kTasks:
    case Signal::kThreads:
    case Signal::kPool:
      return true;
    case Signal::kExceptions:
      return finding.severity == Severity::kCritical;
    default:
      return false;
  }
}

using Key = std::tuple<Signal, std::string, std::string>;

std::map<Key, Finding> StatesOf(const Reports& reports) {
  std::map<Key, Finding> states;
  for (const Finding& finding : FindAll(reports).findings) {
    if (IsState(finding))
      states.emplace(Key(finding.signal, finding.kind, finding.subject), finding);
  }
  return states;
}

Difference Of(const Finding& finding, bool is_new) {
  Difference difference;
  difference.signal = finding.signal;
  difference.direction = is_new ? Difference::Direction::kNew : Difference::Direction::kGone;
  difference.measure = "findings.count";
  difference.subject = finding.subject;
  difference.before = is_new ? 0 : 1;
  difference.after = is_new ? 1 : 0;
  difference.confidence = kFound;
  difference.impact = finding.severity == Severity::kCritical ? 1 : std::max(0.5, finding.impact);
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
                  uint64_t heap_bytes) {
  Difference difference;
  difference.signal = Signal::kHeap;
  difference.level = Difference::Level::kType;
  difference.measure = "heap.retained";
  difference.subject = type;
  difference.unit = Unit::kBytes;
  difference.before = static_cast<double>(first.retained);
  difference.after = static_cast<double>(last.retained);
  difference.direction = DirectionOf(difference.before, difference.after);
  difference.confidence = kOneSnapshot;
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

}  // namespace

void CompareStates(const Reports& before, const Reports& after,
                   const std::function<bool(Signal)>& is_compared,
                   std::vector<Difference>& differences) {
  const std::map<Key, Finding> old_states = StatesOf(before), new_states = StatesOf(after);
  const auto add = [&](const std::map<Key, Finding>& from, const std::map<Key, Finding>& other,
                       bool is_new) {
    for (const auto& [key, finding] : from) {
      if (!other.contains(key) && is_compared(finding.signal)) {
        differences.push_back(Of(finding, is_new));
      }
    }
  };
  add(new_states, old_states, true);
  add(old_states, new_states, false);
}

std::string CompareSnapshots(const HeapReports& before, const HeapReports& after,
                             std::vector<Difference>& differences) {
  HeapWays ways;
  const auto summary = [](const HeapReports& heap, HeapWays* of) {
    return SummarizeHeap(heap.model, heap.names, heap.paths, heap.dominators, heap.tree, of);
  };
  const HeapSummary heaps[] = {summary(before, nullptr), summary(after, &ways)};
  const HeapDiff diff = CompareHeaps(heaps, after.model, after.names, after.paths, ways);
  const uint64_t most = std::max(heaps[0].bytes, heaps[1].bytes);
  for (const WayGrowth& way : diff.ways) {
    Difference difference = OfHeap(TypeDisplayName(after.model.dictionaries, way.type),
                                   way.series.front(), way.series.back(), most);
    difference.level = Difference::Level::kPath;
    difference.path = OwnerParts(after.model, after.names, way.path);
    differences.push_back(std::move(difference));
  }
  size_t shrunk = 0;
  for (const TypeChange& change : diff.types) {
    if (change.trend != Trend::kShrank || shrunk++ == kMostShrunk) continue;
    differences.push_back(OfHeap(change.type, change.series.front(), change.series.back(), most));
  }
  return FormatBytes(heaps[0].bytes) + " and " + FormatBytes(heaps[1].bytes) + " in use";
}

}  // namespace hindsight::analyzer
