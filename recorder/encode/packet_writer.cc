#include "recorder/encode/packet_writer.h"

namespace hindsight::recorder {

void PacketWriter::Begin() {
  if (open_) return;
  bool new_file = false;
  segments_.BeginSegment(&new_file);
  open_ = true;
  last_time_ns_ = MonotonicNs();
  next_exception_id_ = next_wait_id_ = 0;
  Write(wire::Packet::kSegmentStart, kNoTime, [&](auto& start) {
    start.Set(start.kMonotonicNs, last_time_ns_);
    start.Set(start.kUnixNs, UnixNs());
  });
  if (new_file && on_file_) on_file_();
  if (on_segment_) on_segment_();
}

bool PacketWriter::Append() {
  framed_.clear();
  ProtoWriter<wire::Recording> recording(framed_);
  recording.Add(recording.kPacket, packet_);
  if (segments_.Add(std::as_bytes(std::span(framed_)))) return true;
  ++oversized_;
  return false;
}

bool PacketWriter::End(SegmentKind kind) {
  if (!open_) return true;
  open_ = false;
  return segments_.EndSegment(kind);
}

namespace {

int64_t DeltaTo(uint64_t id, uint64_t& next) {
  const auto delta = static_cast<int64_t>(id - next);
  next = id + 1;
  return delta;
}

}  // namespace

int64_t PacketWriter::ExceptionIdDelta(uint64_t id) { return DeltaTo(id, next_exception_id_); }

int64_t PacketWriter::WaitIdDelta(uint64_t id) { return DeltaTo(id, next_wait_id_); }

}  // namespace hindsight::recorder
