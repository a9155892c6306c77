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

// For a report without deadlocks. `from_heap`: it is of a heap snapshot.
DeadlockVerdict VerdictOf(const DeadlockReport& report, bool from_heap);

// How to look further if the recording does not contain more: a sentence with the possibilities;
// null: there is no recording.
std::string HowToLook(const Model* events);

// Threads that were waiting for a lock at the last look at the threads.
struct SeenLockWaits {
  uint64_t threads = 0;
  uint64_t longest_ns = 0;  // all of them unchanged for at least this long
  // Of those at the most frequent place: unchanged for DeadlockRules::unchanged_ns.
  uint64_t unchanged = 0;
  uint64_t unchanged_ns = 0;  // all of those, for at least this long
  std::string site;           // the method that waits
};
// Excludes the threads in `reported`.
SeenLockWaits LockWaitsSeen(const Model& model, const DeadlockRules& rules = {},
                            const std::unordered_set<ThreadIndex>& reported = {});

}  // namespace hindsight::analyzer
