// Bounds the decompressed size of segments: zstd can turn a megabyte into twenty gigabytes.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/reader/scanner.h"

namespace hindsight::analyzer {

// Always allowed, so that small recordings of uniform contents can be read.
inline constexpr uint64_t kFreeEventBytes = uint64_t{64} << 20;
inline constexpr uint64_t kFreeHeapBytes = uint64_t{512} << 20;

// Null, or a clause: together these segments expand to more than `free_bytes` and more than 256
// times their size. Recordings expand 3 to 30 times.
const char* CheckExpansion(std::span<const SegmentRef> segments, uint64_t free_bytes);

}  // namespace hindsight::analyzer
