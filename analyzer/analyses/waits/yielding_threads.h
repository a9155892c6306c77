// Pool workers that have nothing to do, and threads that block on a task. They yield the processor
// for a while before they go to sleep, and on a busy machine it is long until they get it back: the
// kernel counts that as ready, but nothing is delayed by it.
#pragma once

#include <unordered_map>

#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Looks at each stack once. Not thread-safe.
class YieldingThreads {
 public:
  // `model` must outlive this.
  explicit YieldingThreads(const Model& model)
      : dictionaries_(model.dictionaries), calls_(model.dictionaries) {}

  // Whether the thread is a pool worker that both looks found without work, or the first look at a
  // new one.
  bool IsIdleWorker(const ThreadInterval& interval);
  // Whether both looks found the thread in a wait for a task.
  bool BlocksOnTask(const ThreadInterval& interval);

 private:
  struct Known {
    bool is_idle = false, blocks_on_task = false;
  };
  const Known& Of(const ThreadStatus& status);

  const Dictionaries& dictionaries_;
  const BlockingCalls calls_;
  std::unordered_map<StackId, Known> known_;
};

}  // namespace hindsight::analyzer
