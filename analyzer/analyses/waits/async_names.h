// Names of tasks for display: an async method's task is named after its method.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

// Shop.Cart.AddAsync for an async method, otherwise the object's type.
std::string TaskName(const HeapModel& model, const TaskGraph& tasks, ObjectId task);

// The async methods that await `task`, starting with itself and going outwards, as long as each
// step leads to one; at most `limit`.
std::vector<ObjectId> AwaitingMethods(const TaskGraph& tasks, ObjectId task, size_t limit = 64);

// The place of a chain, given from the innermost method outwards: its innermost async method of
// yours or, if there is none, the first.
ObjectId PlaceIn(const TaskGraph& tasks, FrameKinds& kinds, std::span<const ObjectId> chain);

// Whether the server's last resort for failing requests awaits the chain: see request_ends.h.
bool IsOfRequest(const Dictionaries& dictionaries, const TaskGraph& tasks,
                 std::span<const ObjectId> chain);

}  // namespace hindsight::analyzer
