// Where threads stand, as part of the answer of `hindsight threads`: for a person and as JSON.
//
// JSON:
//   "snapshot": null, or {"number", "trigger": "requested" | "periodic" | "no progress" | "heap" |
//     "last" | "unknown", "at_ns", "threads", "pause_ns"} of the newest, from which the rest is;
//   "snapshots": {"count", "pause_ns": of all, "longest_pause_ns"},
//   "stacks": [{"count", "frames": [methods, innermost first], "threads":
//     [{"id", "os_id", "name", "state": "running" | "sleeping" | "blocked" | "stopped" | "unknown",
//     "cpu_ns": or null, "ran_ns": since the previous snapshot, or null, "unchanged_ns"}]}], most
//     threads first,
//   "findings": [{"kind": "zombie" | "thread leak" | "foreground", "count", "frames": where they
//     stand, or for a leak where they were started, "stand_at": [...], "unchanged_ns": the least,
//     "threads": [see JsonThread], "evidence"}], most threads first
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/thread_stacks.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct ThreadStacksTextOptions {
  size_t top = 10;    // stacks shown; 0: all
  size_t frames = 8;  // of a stack; 0: all
};

// What is wrong, or what was looked at where nothing is; then the stacks.
std::string ThreadStacksText(const ThreadStackReport& report, const Model& model,
                             const ThreadStacksTextOptions& options, const TextStyle& style);

// Adds the keys above to `out`.
void AddThreadStacks(const ThreadStackReport& report, const Model& model, Json& out);

}  // namespace hindsight::analyzer
