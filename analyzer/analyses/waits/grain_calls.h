// Calls between grains of Orleans in one process: which async method runs the call whose answer
// somebody awaits.
//
// A grain takes one call after the other, unless it says otherwise. So two that call each other
// wait for each other, through objects of Orleans: no task leads from a call to what answers it.
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
  // All outlive this.
  GrainCalls(const HeapModel& model, const RootPaths& paths, const TaskGraph& tasks,
             ObjectFields& fields);

  struct Callee {
    ObjectId run = kNoObject;  // an unfinished async method
    bool is_queued = false;    // the call waits until `run`, another call of its grain, has ended
  };
  // `source`: what the caller awaits. Nothing where it is no call, or one to another process.
  std::optional<Callee> CalleeOf(ObjectId source) const;

  // An async method of Orleans that runs a call: what it awaits is the grain's own.
  bool IsCarrier(ObjectId task) const { return carriers_.contains(task); }

 private:
  void FindRuns(const HeapModel& model, const TaskGraph& tasks, ObjectFields& fields);

  std::unordered_map<ObjectId, ObjectId> calls_;    // messages, by what awaits their answer
  std::unordered_map<ObjectId, ObjectId> runs_;     // async methods, by message
  std::unordered_map<ObjectId, ObjectId> blocked_;  // messages that block, by those that wait
  std::unordered_set<ObjectId> carriers_;
};

}  // namespace hindsight::analyzer
