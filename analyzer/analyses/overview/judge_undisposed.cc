// Objects that were not disposed, but left to their finalizers.
//
// A snapshot is taken at the end of a full collection. What it finds unreachable has survived that
// one only to be finalized; Dispose would have suppressed that.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/base_classes.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

void JudgeUndisposed(const HeapReports& heap, const OverviewRules& rules,
                     std::vector<Finding>& findings) {
  const HeapGraph& graph = heap.model.graph;
  if (!graph.facts.complete()) return;
  std::map<ClassIndex, uint64_t> garbage;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const HeapClass& type = graph.classes()[graph.ClassOf(id)];
    if (type.finalizable && !heap.dominators.IsReachable(id)) ++garbage[graph.ClassOf(id)];
  }
  const TypeOwners owners(heap.model);
  std::erase_if(garbage, [&](const auto& entry) {
    const auto& [type, count] = entry;
    return count < rules.undisposed || owners.IsFramework(graph.classes()[type].type) ||
           IsSafeHandle(heap.model, type);
  });
  const auto most =
      std::ranges::max_element(garbage, {}, [](const auto& entry) { return entry.second; });
  if (most == garbage.end()) return;
  Finding finding;
  finding.severity = Severity::kNote;
  const TypeId type = graph.classes()[most->first].type;
  // Libraries do that inside, too.
  finding.is_doubt = owners.IsYours(type);
  finding.kind = "undisposed";
  finding.subject = TypeDisplayName(heap.model.dictionaries, type);
  finding.title = FormatCount(most->second) + " " + finding.subject +
                  " were not disposed, but left to their finalizers";
  finding.evidence =
      "They are garbage that a collection has kept to finalize it, which Dispose prevents. Until a "
      "collection happens to find them, their native memory, files or handles stay, and it does "
      "not know how large these are. Dispose them (`using`).";
  finding.command = "heap --sort garbage";
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
