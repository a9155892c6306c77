#include "analyzer/analyses/waits/host_shutdown.h"

#include <algorithm>
#include <string_view>

#include "analyzer/analyses/waits/async_names.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kStop = "Microsoft.Extensions.Hosting.Internal.Host+<StopAsync>",
                           kEach = "Microsoft.Extensions.Hosting.Internal.Host+<ForeachService>";

// The object whose method it is: kNoObject if it does not keep `this`.
ObjectId ThisOf(const HeapModel& model, const TaskGraph& tasks, ObjectId box) {
  ObjectId found = kNoObject;
  tasks.ForEachKept(box, [&](StringId name, ObjectId target) {
    if (model.dictionaries.String(name).ends_with("<>4__this")) found = target;
  });
  return found;
}

}  // namespace

std::optional<std::string> StoppedService(const HeapModel& model, const TaskGraph& tasks,
                                          std::span<const ObjectId> chain) {
  const auto is_of_host = [&](std::string_view method) {
    return [&model, &tasks, method](ObjectId at) {
      const TypeId machine = tasks.StateMachineOf(at);
      if (machine == 0) return false;
      const Dictionaries& names = model.dictionaries;
      return names.String(names.type(machine).name).starts_with(method);
    };
  };
  const auto stop = std::ranges::find_if(chain, is_of_host(kStop));
  if (stop == chain.end()) return std::nullopt;
  const auto host = std::find_if(chain.begin(), stop, is_of_host(kEach));
  if (host == chain.begin()) return std::string();
  const ObjectId service = *std::prev(host);
  const ObjectId object = ThisOf(model, tasks, service);
  if (object == kNoObject) return TaskName(model, tasks, service);
  return TypeDisplayName(model.dictionaries,
                         model.graph.classes()[model.graph.ClassOf(object)].type);
}

bool IsWebServer(const HostShutdown& shutdown) {
  return shutdown.service == "Microsoft.AspNetCore.Hosting.GenericWebHostService";
}

}  // namespace hindsight::analyzer
