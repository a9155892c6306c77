// Writes packets into segments. The owner decides when a segment ends, because it must first write
// what it holds back.
//
// Drain thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/limits.h"
#include "proto/proto_writer.h"
#include "recorder/base/clock.h"
#include "recorder/output/segment_sink.h"

namespace hindsight::recorder {

inline constexpr uint64_t kNoTime = 0;

class PacketWriter {
 public:
  explicit PacketWriter(SegmentSink& segments) : segments_(segments) {}

  // `on_file` runs when a file begins, after its SegmentStart: dictionaries start over, and the
  // process is described. `on_segment` runs at the start of every segment.
  void OnNewFile(std::function<void()> on_file) { on_file_ = std::move(on_file); }
  void OnNewSegment(std::function<void()> on_segment) { on_segment_ = std::move(on_segment); }

  // Ensures that a segment is open. Call it before requesting dictionary ids for an event: they are
  // valid until the segment ends.
  void Begin();

  // One packet of kind `field`; `fill(ProtoWriter&)` writes its message.
  template <typename Message, uint32_t number, typename Fill>
  void Write(wire::FieldNumber<wire::Packet, wire::Nested<Message>, number> field, uint64_t time_ns,
             Fill fill) {
    packet_.clear();
    ProtoWriter<wire::Packet> packet(packet_);
    if (time_ns != kNoTime) {
      const auto delta = static_cast<int64_t>(time_ns - last_time_ns_);
      if (delta != 0) packet.Set(packet.kTimeDeltaNs, delta);
    }
    {
      ProtoWriter message(packet, field);
      fill(message);
    }
    if (Append() && time_ns != kNoTime) last_time_ns_ = time_ns;
  }

  bool open() const { return open_; }
  // The segment should end: it has reached its target size, and still has room for one large
  // packet.
  bool full() const { return open_ && segments_.raw_bytes() >= kTargetSegmentRawBytes; }
  // Ends the open segment, if any; false when it could not be written.
  bool End(SegmentKind kind = SegmentKind::kData);

  // Ids relative to the previous one in the segment, as the schema requires (Exception.id_delta).
  int64_t ExceptionIdDelta(uint64_t id);
  // Likewise for LockWait.id_delta.
  int64_t WaitIdDelta(uint64_t id);

  // Packets that did not fit into a segment.
  uint64_t oversized() const { return oversized_; }

 private:
  bool Append();

  SegmentSink& segments_;
  std::function<void()> on_file_, on_segment_;
  std::string packet_, framed_;  // reused
  bool open_ = false;
  uint64_t last_time_ns_ = 0;
  uint64_t next_exception_id_ = 0, next_wait_id_ = 0;
  uint64_t oversized_ = 0;
};

}  // namespace hindsight::recorder
