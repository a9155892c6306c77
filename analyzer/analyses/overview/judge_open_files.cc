// The process's open files, sockets and pipes over time: what is opened and not closed.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/base_classes.h"
#include "analyzer/analyses/heap/owners.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/analyses/request_flow.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kAdvice =
    " Look for streams, sockets, HttpClients and file watchers that are not disposed";

// Of the handles in the snapshot, the class with most objects: the objects that are alive.
std::vector<ObjectId> MostHandles(const HeapReports& heap) {
  const HeapGraph& graph = heap.model.graph;
  std::map<ClassIndex, std::vector<ObjectId>> handles;
  std::vector<bool> is_handle(graph.classes().size());
  for (ClassIndex i = 0; i < is_handle.size(); ++i) is_handle[i] = IsSafeHandle(heap.model, i);
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const ClassIndex type = graph.ClassOf(id);
    if (is_handle[type] && heap.dominators.IsReachable(id)) handles[type].push_back(id);
  }
  const auto most =
      std::ranges::max_element(handles, {}, [](const auto& entry) { return entry.second.size(); });
  return most == handles.end() ? std::vector<ObjectId>() : std::move(most->second);
}

// The field of yours that holds most of them; empty: there is none.
std::string HolderOf(const HeapReports& heap, std::span<const ObjectId> objects, TypeId type) {
  constexpr size_t kInspected = 64;
  const TypeOwners owners(heap.model);
  std::map<std::string, size_t> holders;
  const size_t step = std::max<size_t>(1, objects.size() / kInspected);
  for (size_t i = 0; i < objects.size(); i += step) {
    const OwnerPath path =
        MakeOwnerPath(heap.model, heap.names, heap.paths, heap.paths.PathTo(objects[i]));
    const OwnerStep* const holder = YourHolder(heap.model, heap.names, owners, path, type);
    if (holder != nullptr) ++holders[HolderName(heap.model, heap.names, *holder)];
  }
  const auto most =
      std::ranges::max_element(holders, {}, [](const auto& entry) { return entry.second; });
  const bool is_most = most != holders.end() && 2 * most->second * step >= objects.size();
  return is_most ? most->first : std::string();
}

// Who has them: from the snapshot, or how to find out.
void AddHolders(const Reports& reports, const OverviewRules& rules, Finding& finding) {
  finding.evidence += kAdvice;
  finding.command = "timeline";
  if (!reports.heap) {
    finding.evidence += "; a heap snapshot shows which objects hold them.";
    return;
  }
  finding.evidence += '.';
  const HeapReports& heap = *reports.heap;
  const std::vector<ObjectId> handles = MostHandles(heap);
  if (handles.size() < rules.open_files_even_growth) return;
  const HeapGraph& graph = heap.model.graph;
  const TypeId type = graph.classes()[graph.ClassOf(handles.front())].type;
  const std::string name = TypeDisplayName(heap.model.dictionaries, type);
  finding.evidence +=
      " In the snapshot, " + FormatCount(handles.size()) + " " + name + " are alive";
  const std::string holder = HolderOf(heap, handles, type);
  finding.evidence += holder.empty() ? "." : ", most of them held by " + holder + ".";
  finding.command = CommandWith("paths", name);
}

void JudgeLimit(const Reports& reports, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  const Model& model = reports.events->model;
  const uint64_t limit = model.facts.open_files_limit;
  const auto most = std::ranges::max_element(model.memory, {}, &MemorySample::open_files);
  if (limit == 0 || most == model.memory.end() ||
      most->open_files < rules.open_files_near_limit * static_cast<double>(limit)) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "open-files-limit";
  finding.title = "The process has " + FormatCount(most->open_files) + " of at most " +
                  FormatCount(limit) + " files open";
  finding.evidence =
      "Sockets and pipes count too. At the limit, nothing can be opened, and no "
      "connection accepted, any more (RLIMIT_NOFILE).";
  AddHolders(reports, rules, finding);
  finding.impact = 1;
  findings.push_back(std::move(finding));
}

void JudgeGrowth(const Reports& reports, const OverviewRules& rules,
                 std::vector<Finding>& findings) {
  const Model& model = reports.events->model;
  const Thirds thirds(model.facts);
  const std::optional<ThirdsGrowth> growth =
      GrowthOf(model.memory, &MemorySample::open_files, thirds);
  if (!growth || !growth->is_steady()) return;
  const uint64_t files = growth->grown(), last = growth->medians[2];
  const bool is_even = growth->is_even();
  const uint64_t least = is_even ? rules.open_files_even_growth : rules.open_files_growth;
  const double share = is_even ? rules.open_files_even_share : rules.open_files_growth_share;
  if (files < least || static_cast<double>(files) < share * static_cast<double>(last)) return;
  const double per_second =
      static_cast<double>(files) * 1e9 / static_cast<double>(thirds.between_ns());
  const uint64_t limit = model.facts.open_files_limit;
  std::optional<uint64_t> left_ns;
  if (limit > last) {
    const double left = static_cast<double>(limit - last) / per_second;
    left_ns = static_cast<uint64_t>(std::min(left, 1e9) * 1e9);
  }
  const auto flow = [&](const TimeSpan& span) {
    return FlowOf(model.requests, span.from_ns, span.to_ns);
  };
  const RequestFlow before = flow(thirds[0]), after = flow(thirds[2]);
  // Those of requests that do not end are reported as such.
  if (after.in_progress - before.in_progress >= static_cast<double>(files) / 2) return;
  // More clients open more connections.
  const bool is_busier = after.finished > rules.open_files_load_growth * before.finished;
  Finding finding;
  // A process that starts opens its connections.
  const bool may_start =
      thirds.span().from_ns < WarmFrom(model.facts, rules) && files < rules.open_files_growth;
  finding.WarnUnlessDoubt(may_start || is_busier || !left_ns ||
                          *left_ns > rules.open_files_left_ns);
  finding.kind = "open-files";
  finding.title =
      "Open files, sockets or pipes grow by " + FormatRate(per_second * 60) + " a minute";
  finding.evidence = "From " + FormatCount(growth->medians[0]) + " to " + FormatCount(last) +
                     " in " + FormatDuration(thirds.between_ns());
  if (left_ns) {
    finding.evidence += "; the limit of " + FormatCount(limit) + " is reached " +
                        FormatDuration(*left_ns) + " later at this pace";
  }
  finding.evidence += is_busier ? ". Meanwhile, more requests ended per second." : ".";
  AddHolders(reports, rules, finding);
  finding.impact = std::min(1.0, static_cast<double>(files) / static_cast<double>(last));
  findings.push_back(std::move(finding));
}

}  // namespace

void JudgeOpenFiles(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  const size_t before = findings.size();
  JudgeLimit(reports, rules, findings);
  if (findings.size() == before) JudgeGrowth(reports, rules, findings);
}

}  // namespace hindsight::analyzer
