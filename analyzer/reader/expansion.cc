#include "analyzer/reader/expansion.h"

#include <algorithm>

namespace hindsight::analyzer {

const char* CheckExpansion(std::span<const SegmentRef> segments, uint64_t free_bytes) {
  constexpr uint64_t kMaxExpansion = 256;
  uint64_t raw = 0, stored = 0;  // 32 bits each, of segments in files: no overflow
  for (const SegmentRef& segment : segments) {
    if (segment.lost) continue;
    raw += segment.header.raw_bytes;
    stored += segment.header.compressed_bytes;
  }
  if (raw <= std::max(free_bytes, stored * kMaxExpansion)) return nullptr;
  return "it would decompress to more than 256 times its size, which no recorder writes; it is "
         "malicious";
}

}  // namespace hindsight::analyzer
