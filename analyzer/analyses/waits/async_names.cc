#include "analyzer/analyses/waits/async_names.h"

#include <algorithm>
#include <string_view>

#include "analyzer/analyses/request_ends.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/method_names.h"

namespace hindsight::analyzer {

std::string TaskName(const HeapModel& model, const TaskGraph& tasks, ObjectId task) {
  const Dictionaries& dictionaries = model.dictionaries;
  const TypeId machine = tasks.StateMachineOf(task);
  if (machine == 0) {
    return TypeDisplayName(dictionaries, model.graph.classes()[model.graph.ClassOf(task)].type);
  }
  const Type& type = dictionaries.type(machine);
  std::vector<std::string> arguments;
  for (const TypeId argument : type.arguments) {
    arguments.push_back(TypeDisplayName(dictionaries, argument));
  }
  return naming::MethodName(dictionaries.String(type.name), arguments, "MoveNext").name;
}

std::vector<ObjectId> AwaitingMethods(const TaskGraph& tasks, ObjectId task, size_t limit) {
  std::vector<ObjectId> out;
  for (ObjectId at = task; at != kNoObject && out.size() < limit;) {
    if (std::find(out.begin(), out.end(), at) != out.end()) break;  // a circle
    out.push_back(at);
    ObjectId next = kNoObject;
    for (const Continuation& continuation : tasks.ContinuationsOf(at)) {
      if (tasks.IndexOf(continuation.to)) {
        next = continuation.to;
        break;
      }
    }
    at = next;
  }
  return out;
}

ObjectId PlaceIn(const TaskGraph& tasks, FrameKinds& kinds, std::span<const ObjectId> chain) {
  const auto yours = std::ranges::find_if(chain, [&](ObjectId at) {
    const TypeId machine = tasks.StateMachineOf(at);
    return machine != 0 && kinds.IsYourType(machine);
  });
  return yours != chain.end() ? *yours : chain.front();
}

bool IsOfRequest(const Dictionaries& dictionaries, const TaskGraph& tasks,
                 std::span<const ObjectId> chain) {
  return std::ranges::any_of(chain, [&](ObjectId at) {
    const TypeId machine = tasks.StateMachineOf(at);
    return machine != 0 && EndsRequests(dictionaries.String(dictionaries.type(machine).name));
  });
}

}  // namespace hindsight::analyzer
