// Limits that the writer keeps and the reader enforces: anything beyond them is corrupt or
// malicious.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight {

inline constexpr size_t kMaxSegmentRawBytes = 4u << 20;         // a segment's body, decompressed
inline constexpr size_t kMaxSegmentCompressedBytes = 5u << 20;  // and compressed (zstd may expand)
inline constexpr size_t kTargetSegmentRawBytes = 1u << 20;      // the writer ends a segment here
inline constexpr size_t kMaxPacketBytes = 1u << 20;
inline constexpr uint64_t kMaxSegmentPackets = 512u << 10;  // none of them empty
inline constexpr size_t kMaxStringBytes = 64u << 10;        // one interned string
inline constexpr uint32_t kMaxStackDepth = 2048;  // frames; deeper stacks keep the innermost
// Entries of one kind in the dictionaries of one file.
inline constexpr uint32_t kMaxDictionaryEntries = 16u << 20;
// Class ids in a heap snapshot.
inline constexpr uint32_t kMaxHeapClassIds = 1u << 20;
// Objects in a HeapThread.
inline constexpr int kMaxThreadObjects = 256;

}  // namespace hindsight
