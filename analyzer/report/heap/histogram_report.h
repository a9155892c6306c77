// `hindsight heap`: what the snapshot is, and what the heap consists of.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

enum class HistogramOrder { kBytes, kRetained, kObjects, kGarbage };

struct HistogramView {
  const HeapModel* model = nullptr;
  const Dominators* dominators = nullptr;
  const TypeHistogram* histogram = nullptr;
  std::span<const HeapFacts> snapshots;  // in the recording, ordered by number
  HistogramOrder order = HistogramOrder::kBytes;
  size_t top = 30;
};

std::string HistogramText(const HistogramView& view, const TextStyle& style);
std::string HistogramJson(const HistogramView& view);  // all types, regardless of `top`
SharedShape HistogramShape();

}  // namespace hindsight::analyzer
