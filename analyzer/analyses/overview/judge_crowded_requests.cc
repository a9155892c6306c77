// Where the requests in progress stand, in a heap snapshot, if most of them await the same: an
// answer, or their turn with what a library hands out, such as connections.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/name_list.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

struct Crowd {
  uint64_t requests = 0;
  std::vector<std::string> places;  // those with the most requests first
  const TaskGroup* example = nullptr;
};

// Whether they wait in a library's method until it has something for them.
bool AreInQueue(const TaskGroup& group) {
  return group.stack.front() != group.place &&
         (group.kind == TaskGroup::Awaits::kSemaphore || group.AwaitsChannel());
}

}  // namespace

void JudgeCrowdedRequests(const TaskReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  uint64_t all = 0;
  std::map<std::pair<std::string_view, std::string_view>, Crowd> crowds;  // by method and awaited
  std::vector<const TaskGroup*> groups;
  for (const TaskGroup& group : report.groups) {
    all += group.requests;
    if (group.requests > 0 && group.is_yours && !group.stack.empty()) groups.push_back(&group);
  }
  std::ranges::stable_sort(groups, std::greater(), &TaskGroup::requests);
  for (const TaskGroup* group : groups) {
    Crowd& crowd = crowds[{group->stack.front(), group->awaits}];
    crowd.requests += group->requests;
    crowd.places.push_back(group->place);
    crowd.example = group;
  }
  const auto most =
      std::ranges::max_element(crowds, {}, [](const auto& entry) { return entry.second.requests; });
  if (most == crowds.end() || most->second.requests < rules.waiting_requests ||
      static_cast<double>(most->second.requests) < rules.crowded_share * static_cast<double>(all)) {
    return;
  }
  const Crowd& crowd = most->second;
  const TaskGroup& example = *crowd.example;
  const bool is_told = std::ranges::any_of(findings, [&crowd](const Finding& finding) {
    return std::ranges::find(crowd.places, finding.subject) != crowd.places.end();
  });
  if (is_told || example.AwaitsWebSocket()) return;
  const std::string& method = example.stack.front();
  Finding finding;
  finding.is_doubt = AreInQueue(example);
  finding.kind = "crowded-requests";
  finding.subject = crowd.places.front();
  finding.title =
      FormatCount(crowd.requests) + " of " + Plural(all, "request") + " in progress " +
      (finding.is_doubt ? "queue in " : "await the same in ") +
      (method == finding.subject ? MethodList(crowd.places)
                                 : method + ", called from " + MethodList(crowd.places));
  finding.evidence = "In the newest snapshot, each awaits " + example.awaits + ".";
  if (finding.is_doubt) {
    finding.evidence +=
        " That is no I/O: they wait for their turn, such as for a connection of a "
        "pool that is too small, or whose connections are kept too long.";
  }
  finding.command = "tasks";
  finding.impact = static_cast<double>(crowd.requests) / static_cast<double>(all);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
