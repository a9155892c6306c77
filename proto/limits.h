// Bounds that the writer keeps and the reader enforces: what lies beyond them is damage or malice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight {

inline constexpr size_t kMaxSegmentRawBytes = 4u << 20;         // a segment's body, decompressed
inline constexpr size_t kMaxSegmentCompressedBytes = 5u << 20;  // and compressed (zstd may expand)
inline constexpr size_t kTargetSegmentRawBytes = 1u << 20;      // the writer ends a segment here
inline constexpr size_t kMaxPacketBytes = 1u << 20;
inline constexpr uint64_t kMaxSegmentPackets = 512u << 10;  // none of them empty
inline constexpr size_t kMaxStringBytes = 64u << 10;        // one interned text
inline constexpr uint32_t kMaxStackDepth = 2048;  // frames; deeper stacks keep the innermost
// A dictionary of one file holds at most this many entries of a kind.
inline constexpr uint32_t kMaxDictionaryEntries = 16u << 20;
// Ids of the classes of a heap snapshot.
inline constexpr uint32_t kMaxHeapClassIds = 1u << 20;
// Objects that a HeapThread tells of.
inline constexpr int kMaxThreadObjects = 256;

}  // namespace hindsight
