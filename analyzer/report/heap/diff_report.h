// The answer of `hindsight diff`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "diff",
//   "heaps": [{"label", "application", "pid", "snapshot", "unix_ns", "complete", "objects",
//   "bytes"}], "noise_bytes": smaller differences are not here, "growth": [{"type", "trend": "grew"
//   | "grows" | "levelled_off" | "comes_and_goes",
//     "is_new", "objects": [of each heap], "retained_bytes": [of each], "path": [parts],
//     "owner": [[from, field, to], ...]}], leaks first, then by growth,
//   "types": [{"type", "trend": the same | "shrank", "objects", "bytes", "retained_bytes"}]
// }
#pragma once

#include <span>
#include <string>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct DiffView {
  std::span<const HeapSummary> heaps;
  std::span<const std::string> labels;  // beside heaps: how the user named their recordings
  const HeapModel* model = nullptr;     // of the last
  const SlotNames* names = nullptr;
  const HeapDiff* diff = nullptr;
  size_t top = 20;  // rows a list, in texts
};

std::string DiffText(const DiffView& view, const TextStyle& style);
std::string DiffJson(const DiffView& view);

}  // namespace hindsight::analyzer
