// Names of tasks as people know them: async methods by their method.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

// Shop.Cart.AddAsync of an async method, the type of any other object.
std::string TaskName(const HeapModel& model, const TaskGraph& tasks, ObjectId task);

// Async methods that await `task`, from itself outwards, as far as there is one for each step; at
// most `limit`.
std::vector<ObjectId> AwaitingMethods(const TaskGraph& tasks, ObjectId task, size_t limit = 64);

}  // namespace hindsight::analyzer
