// `hindsight verify`: what of a recording is intact, what is lost, where, and why.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/fields/shape.h"
#include "analyzer/model/heap_check.h"
#include "analyzer/model/integrity.h"
#include "analyzer/model/recording_summary.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct VerifyView {
  const RecordingSummary& summary;  // empty: the files only contain snapshots
  const Integrity& integrity;
  std::span<const HeapCheck> heaps;

  bool Intact() const;
};

std::string VerifyText(const VerifyView& view, const TextStyle& style);
std::string VerifyJson(const VerifyView& view);
SharedShape VerifyShape();

}  // namespace hindsight::analyzer
