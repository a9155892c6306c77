// The output of `hindsight deadlocks`, as text and as JSON. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/signal_waits.h"
#include "analyzer/analyses/waits/wait_queues.h"
#include "analyzer/fields/named.h"
#include "analyzer/fields/shape.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

inline constexpr Named<Proof> kProofs[] = {
    {Proof::kCertain, "certain"}, {Proof::kLikely, "likely"}, {Proof::kPossible, "possible"}};

// Where the report comes from: a heap or events.
struct DeadlockOrigin {
  const HeapModel* heap = nullptr;
  const Model* events = nullptr;
  std::vector<WaitQueue> queues = {};    // of the heap: also those of one waiter
  std::vector<SignalWait> signals = {};  // of the heap
};

// With all that the heap shows. `heap` must outlive it.
DeadlockOrigin OriginOf(const HeapWaits& heap);

std::string DeadlocksText(const DeadlockOrigin& origin, const DeadlockReport& report,
                          const TextStyle& style);
std::string DeadlocksJson(const DeadlockOrigin& origin, const DeadlockReport& report);
SharedShape DeadlocksShape();

}  // namespace hindsight::analyzer
