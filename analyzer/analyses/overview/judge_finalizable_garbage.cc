// Garbage with finalizers: often what was not disposed. Whether it was, a snapshot cannot tell.
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

void JudgeFinalizableGarbage(const HeapReports& heap, const OverviewRules& rules,
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
    return count < rules.finalizable_garbage || owners.IsFramework(graph.classes()[type].type) ||
           IsSafeHandle(heap.model, type);
  });
  const auto most =
      std::ranges::max_element(garbage, {}, [](const auto& entry) { return entry.second; });
  if (most == garbage.end()) return;
  Finding finding;
  finding.severity = Severity::kNote;
  const TypeId type = graph.classes()[most->first].type;
  finding.kind = "finalizable-garbage";
  finding.subject = TypeDisplayName(heap.model.dictionaries, type);
  finding.title =
      FormatCount(most->second) + " " + finding.subject + " with finalizers are garbage";
  finding.evidence =
      "If they were not disposed, their native memory, files or handles stay until a collection "
      "happens to find them, and it does not know how large these are: dispose them (`using`).";
  finding.command = "heap --sort garbage";
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
