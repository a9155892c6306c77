// The contents of heaps: what grew and what shrank between the newest snapshots of two recordings.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/analyses/heap/owners.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

std::string BytesFromTo(uint64_t before, uint64_t after) {
  return FormatBytes(before) + " -> " + FormatBytes(after);
}

// `holder`: " in OrderCache._orders", or empty.
Difference OfHeap(const std::string& type, const std::string& holder, const HeapNumbers& first,
                  const HeapNumbers& last, uint64_t heap_bytes, const ComparisonRules& rules) {
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
      type + holder + " retains " +
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
      const OwnerStep* holder =
          YourHolder(heap.model, heap.names, owners, growth.path, growth.type);
      const std::string held_in =
          holder == nullptr ? "" : " in " + HolderName(heap.model, heap.names, *holder);
      Difference difference =
          OfHeap(type, held_in, is_growth ? less : more, is_growth ? more : less, most, rules);
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
