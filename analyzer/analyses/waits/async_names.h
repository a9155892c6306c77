// Names of tasks for display: an async method's task is named after its method.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

// Shop.Cart.AddAsync for an async method, otherwise the object's type.
std::string TaskName(const HeapModel& model, const TaskGraph& tasks, ObjectId task);

// The async methods that await `task`, starting with itself and going outwards, as long as each
// step leads to one; at most `limit`.
std::vector<ObjectId> AwaitingMethods(const TaskGraph& tasks, ObjectId task, size_t limit = 64);

}  // namespace hindsight::analyzer
