#include "trigger/keep/end_of_copy.h"

#include <span>
#include <string>
#include <string_view>

#include "proto/proto_writer.h"
#include "proto/recording_fields.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kMostNameBytes = 255;

void AddLittleEndian(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string BodyOf(const CopyEnd& end) {
  std::string body;
  ProtoWriter<wire::Recording> recording(body);
  {
    ProtoWriter packet(recording, recording.kPacket);
    ProtoWriter start(packet, packet.kSegmentStart);
    start.Set(start.kMonotonicNs, end.monotonic_ns);
    start.Set(start.kUnixNs, end.unix_ns);
  }
  {
    ProtoWriter packet(recording, recording.kPacket);
    ProtoWriter recording_end(packet, packet.kRecordingEnd);
    recording_end.Set(recording_end.kReason, wire::RecordingEnd::Reason::kCut);
    ProtoWriter whole(recording_end, recording_end.kCopyOf);
    whole.Set(whole.kRecordingId, end.last.recording_id);
    whole.Set(whole.kName, end.whole.substr(0, kMostNameBytes));
  }
  return body;
}

// A frame of zstd (RFC 8878) with one block that is not compressed: the trigger has no compressor,
// and this is a hundred bytes.
std::string FrameOf(const std::string& body) {
  constexpr uint32_t kMagic = 0xfd2fb528;
  constexpr char kOneSegmentFourByteSize = '\xa0';
  constexpr uint64_t kLastRawBlock = 1;  // is last, type 0
  std::string frame;
  AddLittleEndian(frame, kMagic, 4);
  frame += kOneSegmentFourByteSize;
  AddLittleEndian(frame, body.size(), 4);
  AddLittleEndian(frame, body.size() << 3 | kLastRawBlock, 3);
  return frame + body;
}

}  // namespace

uint64_t IdOfCopy(uint64_t whole_id, uint64_t unix_ns) {
  uint64_t id = whole_id ^ (unix_ns * 0x9e3779b97f4a7c15u);
  id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
  id = (id ^ id >> 27) * 0x94d049bb133111ebu;
  return id ^ id >> 31;
}

std::string EndSegment(const CopyEnd& end) {
  const std::string body = BodyOf(end);
  const std::string frame = FrameOf(body);
  SegmentHeader header = end.last;
  header.kind = SegmentKind::kLast;
  header.recording_id = end.copy_id;
  header.sequence = end.last.sequence + 1;
  header.compressed_bytes = static_cast<uint32_t>(frame.size());
  header.raw_bytes = static_cast<uint32_t>(body.size());
  header.body_crc32c = Crc32c(std::as_bytes(std::span(frame)));
  std::string bytes(kSegmentHeaderBytes, '\0');
  EncodeSegmentHeader(header,
                      std::as_writable_bytes(std::span(bytes)).first<kSegmentHeaderBytes>());
  return bytes + frame;
}

}  // namespace hindsight::trigger
