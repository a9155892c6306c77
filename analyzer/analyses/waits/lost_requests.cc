#include "analyzer/analyses/waits/lost_requests.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/async_names.h"
#include "analyzer/analyses/waits/task_graph.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

std::vector<LostRequests> FindLostRequests(const HeapWaits& heap) {
  const HeapModel& model = heap.model();
  ObjectFields fields(model);
  const TaskGraph garbage(model, heap.paths(), heap.types(), fields, TaskGraph::Among::kGarbage);
  FrameKinds kinds(model.dictionaries, model.application);
  std::map<std::pair<ClassIndex, ClassIndex>, LostRequests> found;  // by place and what is awaited
  for (const UnfinishedTask& task : garbage.tasks()) {
    const bool waits = task.stage == UnfinishedTask::Stage::kSuspended &&
                       task.awaited != kNoObject && !task.awaited_is_done;
    if (!waits || !garbage.IsInnermost(task)) continue;
    const std::vector<ObjectId> chain = AwaitingMethods(garbage, task.object);
    if (!IsOfRequest(model.dictionaries, garbage, chain)) continue;
    const ObjectId place = PlaceIn(garbage, kinds, chain);
    const ClassIndex what = model.graph.ClassOf(task.awaited);
    LostRequests& lost = found[{model.graph.ClassOf(place), what}];
    if (lost.count++ > 0) continue;
    lost.place = TaskName(model, garbage, place);
    lost.awaits = TypeDisplayName(model.dictionaries, model.graph.classes()[what].type);
    lost.example = task.object;
  }
  std::vector<LostRequests> out;
  for (auto& [key, lost] : found) out.push_back(std::move(lost));
  std::ranges::sort(out, [](const LostRequests& a, const LostRequests& b) {
    return a.count != b.count ? a.count > b.count : a.place < b.place;
  });
  return out;
}

}  // namespace hindsight::analyzer
