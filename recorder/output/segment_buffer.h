// The memory in which a segment is built: raw bytes, then header and compressed frame in one piece.
//
// Mapped once and never grown; works without malloc, so that the child of a heap snapshot may use
// the copy that it inherits. One thread.
#pragma once

#include <cstddef>
#include <span>

#include "proto/limits.h"
#include "proto/segment.h"

namespace hindsight::recorder {

class SegmentBuffer {
 public:
  // Raw bytes that fit into a segment. A caller that ends its segments at kTargetSegmentRawBytes
  // can always add one more packet of the largest size.
  static constexpr size_t kCapacityBytes = kTargetSegmentRawBytes + kMaxPacketBytes + 16;
  static_assert(kCapacityBytes <= kMaxSegmentRawBytes);

  SegmentBuffer() = default;
  SegmentBuffer(const SegmentBuffer&) = delete;
  SegmentBuffer& operator=(const SegmentBuffer&) = delete;
  ~SegmentBuffer() { Unmap(); }

  // False: no memory; errno says why.
  bool Map();
  void Unmap();
  bool is_mapped() const { return mapping_ != nullptr; }
  size_t memory_bytes() const { return mapping_bytes_; }

  void Clear() { raw_bytes_ = 0; }
  // False: it does not fit, and nothing was added.
  bool Add(std::span<const std::byte> bytes);
  size_t raw_bytes() const { return raw_bytes_; }

  // Makes a segment of what was added, ready to be written, and fills in the lengths and checksums
  // of `header`. Empty: zstd failed. Valid until the next call.
  std::span<const std::byte> Seal(SegmentHeader header);
  // Replaces the header of the segment that Seal made last.
  void Stamp(SegmentHeader header);

 private:
  // One mapping: raw bytes, then the segment (header and frame), then zstd's workspace.
  std::byte* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  std::span<std::byte> segment_;
  SegmentHeader sealed_;        // the last
  void* compressor_ = nullptr;  // ZSTD_CCtx in the workspace
  size_t raw_bytes_ = 0;
};

}  // namespace hindsight::recorder
