// Whether what is awaited will complete by itself. Not thread-safe.
#pragma once

#include <map>

#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

class AwaitedEnds {
 public:
  // `tasks` must outlive this.
  explicit AwaitedEnds(const TaskGraph& tasks) : tasks_(tasks) {}

  // Whether it is known what will complete it: a timer, the system, or a thread that runs it. Then
  // no one else has to complete the task, however long that takes: a connection may spend its whole
  // life at Task.WhenAny of a read and a write. True also for anything but an unfinished task;
  // false for a task about which nothing more is known.
  bool ByThemselves(ObjectId awaited) { return ByItself(awaited, 0); }

 private:
  static constexpr int kMostLinks = 64;  // from a task to what completes it

  bool ByItself(ObjectId awaited, int depth);
  bool ByItsLinks(const UnfinishedTask& task, int depth);

  const TaskGraph& tasks_;
  std::map<ObjectId, bool> known_;
};

}  // namespace hindsight::analyzer
