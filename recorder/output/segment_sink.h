// Where packets go: what a PacketWriter needs from a file of segments.
#pragma once

#include <cstddef>
#include <span>

#include "proto/segment.h"

namespace hindsight::recorder {

class SegmentSink {
 public:
  // Starts an empty segment. `*new_file`: it begins a file, so dictionaries start over.
  virtual void BeginSegment(bool* new_file) = 0;
  // Appends one packet as a field of Recording (tag, length, bytes), or several of them. False: it
  // does not fit, and nothing was added.
  virtual bool Add(std::span<const std::byte> packet_field) = 0;
  virtual size_t raw_bytes() const = 0;
  // Compresses and writes. False: the segment is lost.
  virtual bool EndSegment(SegmentKind kind) = 0;

 protected:
  ~SegmentSink() = default;
};

}  // namespace hindsight::recorder
