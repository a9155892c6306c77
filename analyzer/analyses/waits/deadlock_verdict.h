// What can be said if no deadlock was found: "no deadlock" only for what was examined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/analyses/waits/blocking_calls.h"
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
  // Those that wait in one method, unchanged for DeadlockRules::unchanged_ns.
  struct Standing {
    std::string site;
    uint64_t threads = 0;
    uint64_t least_ns = 0;  // all of them unchanged for at least this long
    // The owner of a monitor at that look, unless it waits for a lock itself.
    std::string owner;       // the thread's name
    std::string owner_site;  // empty: it is unknown
    BlockingCall::Kind owner_call = BlockingCall::Kind::kNone;
    bool owner_stands = false;  // it waits as well, unchanged for as long
  };
  uint64_t threads = 0;
  uint64_t longest_ns = 0;         // all of them unchanged for at least this long
  std::vector<Standing> standing;  // most threads first
};
// Excludes the threads in `reported`.
SeenLockWaits LockWaitsSeen(const Model& model, const DeadlockRules& rules = {},
                            const std::unordered_set<ThreadIndex>& reported = {});

}  // namespace hindsight::analyzer
