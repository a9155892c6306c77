// What can be said if no deadlock was found: "no deadlock" only for what was examined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "analyzer/analyses/waits/deadlock_rules.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct DeadlockVerdict {
  bool is_all_clear = false;
  std::string headline;  // a sentence or two: what was seen, or what was not
};

// Of a report without deadlocks. `from_heap`: of a heap snapshot.
DeadlockVerdict VerdictOf(const DeadlockReport& report, bool from_heap);

// Where the recording knows no more: how to look. A sentence with what is possible; null: there is
// no recording.
std::string HowToLook(const Model* events);

// Threads that stood in a wait for a lock when the threads were looked at last.
struct SeenLockWaits {
  uint64_t threads = 0;
  uint64_t longest_ns = 0;  // unchanged for so long, at least
  // Of those at the place that most of them stand at, unchanged for DeadlockRules::unchanged_ns.
  uint64_t unchanged = 0;
  uint64_t unchanged_ns = 0;  // all of them, at least
  std::string site;           // the method that waits
};
// Without the threads `reported`.
SeenLockWaits LockWaitsSeen(const Model& model, const DeadlockRules& rules = {},
                            const std::unordered_set<ThreadIndex>& reported = {});

}  // namespace hindsight::analyzer
