// `hindsight info`: what was recorded, of which process, at what cost.
#pragma once

#include <span>
#include <string>

#include "analyzer/fields/shape.h"
#include "analyzer/model/heap_types.h"
#include "analyzer/model/integrity.h"
#include "analyzer/model/recording_summary.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct InfoView {
  const RecordingSummary& summary;  // empty: the files only contain snapshots
  const Integrity& integrity;
  std::span<const HeapFacts> heaps;
};

std::string InfoText(const InfoView& view, const TextStyle& style);
std::string InfoJson(const InfoView& view);
SharedShape InfoShape();

}  // namespace hindsight::analyzer
