// The data of the page's wait graphs, which drawings/wait_graph.js draws.
//
// {
//   "fromHeap": bool, "lookedAt": a sentence, "notes": [sentences],
//   "deadlocks": [{"kind", "confidence": "certain" | "likely" | "possible", "victims",
//     "nodes": [{"kind": as WaitTarget::kind, or "more": stands for omitted nodes,
//       "title": short, "name": full, "id": "thread 4242", "0x7f...", or empty,
//       "member": null or {"sinceNs" or null, "waitsFor": text or empty, "holds": [texts],
//         "takenAt", "stack": [innermost first], "moreFrames"}}],
//     "edges": [{"from", "to", "says": "waits for", "held by", ..., "proof": as confidence}],
//     "crowds": [{"count", "at": method, "waitsFor": text, "node": that they wait for, or -1}],
//     "elsewhere": victims that are in none of these crowds,
//     "evidence": [sentences]}],
//   "leftOut": number of omitted deadlocks
//   "queues": [like deadlocks, kind "queue"]: several wait for a lock, but nothing is stuck;
//     only if there is no deadlock
// }
#pragma once

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

struct WaitGraphLimits {
  size_t deadlocks = 20;
  size_t nodes = 40;  // per graph
  size_t crowds = 8;
  size_t frames = 40;  // per stack
};

// Null: there is no deadlock, and no queue. Names are bounded by PageText.
Json WaitGraphData(const Reports& now, const WaitGraphLimits& limits = {});

}  // namespace hindsight::analyzer
