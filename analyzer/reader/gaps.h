// Which segments are missing and why, derived from the segments and damage found.
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/integrity.h"
#include "analyzer/reader/scanner.h"

namespace hindsight::analyzer {

// `segments`: by sequence, each once, lost ones included. `damages`: by file and offset. The
// result is by sequence; runs of the same cause are one gap.
std::vector<Gap> FindGaps(std::span<const SegmentRef> segments,
                          std::span<const DamagedRange> damages);

// Whether damage of unknown extent lies between the end of `left` and the start of `right`, in the
// order of files and offsets. Null: the start, or the end, of everything.
bool IsDamagedBetween(const SegmentRef* left, const SegmentRef* right,
                      std::span<const DamagedRange> damages);

}  // namespace hindsight::analyzer
