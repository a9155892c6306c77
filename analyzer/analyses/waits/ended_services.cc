#include "analyzer/analyses/waits/ended_services.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

std::optional<EndedService::End> EndOf(int64_t flags) {
  if ((flags & kTaskFaulted) != 0) return EndedService::End::kFaulted;
  if ((flags & kTaskCanceled) != 0) return EndedService::End::kCanceled;
  if ((flags & kTaskRanToCompletion) != 0) return EndedService::End::kReturned;
  return std::nullopt;
}

}  // namespace

std::string_view EndName(EndedService::End end) {
  switch (end) {
    case EndedService::End::kFaulted:
      return "faulted";
    case EndedService::End::kCanceled:
      return "canceled";
    case EndedService::End::kReturned:
      break;
  }
  return "returned";
}

std::vector<EndedService> FindEndedServices(const HeapWaits& heap) {
  const HeapModel& model = heap.model();
  ObjectFields fields(model);
  const auto execute_task = fields.Slot("_executeTask");
  const auto flags = fields.Value("m_stateFlags");
  FrameKinds kinds(model.dictionaries, model.application);
  std::vector<EndedService> ended;
  for (ObjectId id = 0; id < model.graph.size(); ++id) {
    const bool is_service = heap.types().Of(id) == RuntimeType::kBackgroundService;
    if (!is_service || !heap.paths().IsReachable(id)) continue;
    const ObjectId task = fields.Get(id, execute_task);
    const auto state = task == kNoObject ? std::nullopt : fields.Get(task, flags);
    const auto end = state ? EndOf(*state) : std::nullopt;
    if (!end) continue;
    const TypeId of = model.graph.classes()[model.graph.ClassOf(id)].type;
    ended.push_back({TypeDisplayName(model.dictionaries, of), kinds.IsYourType(of), *end});
  }
  std::ranges::sort(ended, {}, [](const EndedService& one) { return std::tie(one.end, one.type); });
  return ended;
}

}  // namespace hindsight::analyzer
