// What the page's wait graphs are drawn from; drawings/wait_graph.js draws them.
//
// {
//   "fromHeap": bool, "lookedAt": a sentence, "notes": [sentences],
//   "deadlocks": [{"kind", "confidence": "certain" | "likely" | "possible", "victims",
//     "nodes": [{"kind": as WaitTarget::kind, or "more": stands for those left out,
//       "title": short, "name": full, "id": "thread 4242", "0x7f...", or empty,
//       "member": null or {"sinceNs" or null, "waitsFor": text or empty, "holds": [texts],
//       "takenAt",
//         "stack": [innermost first], "moreFrames"}}],
//     "edges": [{"from", "to", "says": "waits for", "held by", ..., "proof": as confidence}],
//     "crowds": [{"count", "at": method, "waitsFor": text, "node": that they wait for, or -1}],
//     "elsewhere": victims in no crowd here,
//     "evidence": [sentences]}],
//   "leftOut": deadlocks that are not here
//   "queues": [as deadlocks, kind "queue"]: where several wait for a lock and nothing is stuck;
//   only
//     without a deadlock
// }
#pragma once

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

struct WaitGraphLimits {
  size_t deadlocks = 20;
  size_t nodes = 40;  // of one
  size_t crowds = 8;
  size_t frames = 40;  // of a stack
};

// Null: there is no deadlock, and no queue. Names are bounded by PageText.
Json WaitGraphData(const Reports& now, const WaitGraphLimits& limits = {});

}  // namespace hindsight::analyzer
