// Whether what is awaited ends by itself. One thread.
#pragma once

#include <map>

#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

class AwaitedEnds {
 public:
  // `tasks` outlives this.
  explicit AwaitedEnds(const TaskGraph& tasks) : tasks_(tasks) {}

  // Whether what ends it is no secret: a timer, the system, a thread that has it. Nobody has to
  // complete such a task, however long that takes: a connection stands at Task.WhenAny of its
  // reading and its writing all its life. What is no unfinished task does, too; a task of which
  // nothing more is known does not.
  bool ByThemselves(ObjectId awaited) { return ByItself(awaited, 0); }

 private:
  static constexpr int kMostLinks = 64;  // from a task to what ends it

  bool ByItself(ObjectId awaited, int depth);
  bool ByItsLinks(const UnfinishedTask& task, int depth);

  const TaskGraph& tasks_;
  std::map<ObjectId, bool> known_;
};

}  // namespace hindsight::analyzer
