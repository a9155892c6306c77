// Waits for locks that a deadlock explains: those of its members, of threads that wait behind them,
// and of threads that came later for a lock that one of these owns or waits for.
#pragma once

#include <unordered_set>
#include <vector>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

class ExplainedWaits {
 public:
  ExplainedWaits(const Model& model, const std::vector<Deadlock>& deadlocks);

  // Whether an unfinished wait is explained.
  bool Has(const OpenWait& wait) const {
    return threads_.contains(wait.thread) || (wait.lock != 0 && locks_.contains(wait.lock));
  }
  // Threads that will not proceed, according to the deadlocks.
  const std::unordered_set<ThreadIndex>& threads() const { return threads_; }

 private:
  // Returns whether this was new.
  bool Take(ThreadIndex thread, uint64_t lock, ThreadIndex owner);

  std::unordered_set<ThreadIndex> threads_;
  std::unordered_set<uint64_t> locks_;  // the runtime's ids
};

}  // namespace hindsight::analyzer
