// Determines which segments are missing and why, from the segments and the damage found.
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/integrity.h"
#include "analyzer/reader/scanner.h"

namespace hindsight::analyzer {

// `segments`: ordered by sequence, each once, including lost ones. `damages`: ordered by file and
// offset. The result is ordered by sequence; consecutive losses with the same cause are one gap.
std::vector<Gap> FindGaps(std::span<const SegmentRef> segments,
                          std::span<const DamagedRange> damages);

// Whether damage of unknown extent lies between the end of `left` and the start of `right`, in the
// order of files and offsets. Null: the very start, or the very end.
bool IsDamagedBetween(const SegmentRef* left, const SegmentRef* right,
                      std::span<const DamagedRange> damages);

}  // namespace hindsight::analyzer
