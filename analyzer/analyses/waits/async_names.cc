#include "analyzer/analyses/waits/async_names.h"

#include <algorithm>
#include <string_view>

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

}  // namespace hindsight::analyzer
