// The output of `hindsight diff`, as text and as JSON. Pure functions.
#pragma once

#include <span>
#include <string>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct DiffView {
  std::span<const HeapSummary> heaps;
  std::span<const std::string> labels;  // parallel to heaps: the user's names for their recordings
  const HeapModel* model = nullptr;     // the last one
  const SlotNames* names = nullptr;
  const HeapDiff* diff = nullptr;
  size_t top = 20;  // rows per list, in texts
};

std::string DiffText(const DiffView& view, const TextStyle& style);
std::string DiffJson(const DiffView& view);
SharedShape DiffShape();

}  // namespace hindsight::analyzer
