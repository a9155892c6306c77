// Waits for locks that a deadlock explains: of its members, of those that wait behind them, and of
// whoever came later for a lock that one of these has or waits for.
#pragma once

#include <unordered_set>
#include <vector>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

class ExplainedWaits {
 public:
  ExplainedWaits(const Model& model, const std::vector<Deadlock>& deadlocks);

  // Of a wait that has not ended.
  bool Has(const OpenWait& wait) const {
    return threads_.contains(wait.thread) || (wait.lock != 0 && locks_.contains(wait.lock));
  }
  // Threads that will not get on, as far as the deadlocks tell.
  const std::unordered_set<ThreadIndex>& threads() const { return threads_; }

 private:
  // Whether that was news.
  bool Take(ThreadIndex thread, uint64_t lock, ThreadIndex owner);

  std::unordered_set<ThreadIndex> threads_;
  std::unordered_set<uint64_t> locks_;  // the runtime's ids
};

}  // namespace hindsight::analyzer
