// Calls between Orleans grains in one process: which async method runs the call whose answer is
// awaited.
//
// A grain processes one call after another, unless it says otherwise. So two grains that call each
// other wait for each other, through objects of Orleans: no task leads from a call to what answers
// it.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/waits/object_fields.h"
#include "analyzer/analyses/waits/task_graph.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

class GrainCalls {
 public:
  // All must outlive this.
  GrainCalls(const HeapModel& model, const RootPaths& paths, const TaskGraph& tasks,
             ObjectFields& fields);

  struct Callee {
    ObjectId run = kNoObject;  // an unfinished async method
    bool is_queued = false;    // until `run`, another call to its grain, has ended
  };
  // `source`: what the caller awaits. nullopt if it is not a call, or if it is one to another
  // process.
  std::optional<Callee> CalleeOf(ObjectId source) const;

  // An async method of Orleans that runs a call and awaits the grain's own task.
  bool IsCarrier(ObjectId task) const { return carriers_.contains(task); }

 private:
  void FindRuns(const HeapModel& model, const TaskGraph& tasks, ObjectFields& fields);

  std::unordered_map<ObjectId, ObjectId> calls_;  // messages, by what awaits their answers
  std::unordered_map<ObjectId, ObjectId> runs_;   // async methods, by message
  std::unordered_map<ObjectId, ObjectId>
      blocked_;  // messages that block others, by the blocked ones
  std::unordered_set<ObjectId> carriers_;
};

}  // namespace hindsight::analyzer
