#include "trigger/keep/end_of_copy.h"

#include <cstring>
#include <span>

#include "proto/recording_fields.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kMostNameBytes = 255;

void AddVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void AddLittleEndian(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

template <typename Message, uint32_t number>
void Set(std::string& out, wire::Field<Message, wire::Fixed64, number> field, uint64_t value) {
  AddVarint(out, field.kTag);
  AddLittleEndian(out, value, 8);
}

template <typename Message, typename E, uint32_t number>
void Set(std::string& out, wire::Field<Message, wire::Enum<E>, number> field, E value) {
  AddVarint(out, field.kTag);
  AddVarint(out, static_cast<uint64_t>(value));
}

template <typename Message, uint32_t number>
void Set(std::string& out, wire::Field<Message, wire::Bool, number> field, bool value) {
  AddVarint(out, field.kTag);
  AddVarint(out, value ? 1 : 0);
}

// Texts, and messages inside of others.
template <typename Field>
void SetBytes(std::string& out, Field field, std::string_view bytes) {
  AddVarint(out, field.kTag);
  AddVarint(out, bytes.size());
  out += bytes;
}

std::string BodyOf(const CopyEnd& end) {
  using wire::Cut;
  using wire::Packet;
  using wire::RecordingEnd;
  using wire::SegmentStart;
  std::string start, cut, recording_end;
  Set(start, SegmentStart::kMonotonicNs, end.monotonic_ns);
  Set(start, SegmentStart::kUnixNs, end.unix_ns);
  Set(cut, Cut::kRecordingId, end.last.recording_id);
  SetBytes(cut, Cut::kName, end.whole.substr(0, kMostNameBytes));
  Set(recording_end, RecordingEnd::kReason, RecordingEnd::Reason::kCut);
  SetBytes(recording_end, RecordingEnd::kCopyOf, cut);
  std::string first, second, body;
  SetBytes(first, Packet::kSegmentStart, start);
  SetBytes(second, Packet::kRecordingEnd, recording_end);
  for (const std::string* packet : {&first, &second}) {
    SetBytes(body, wire::Recording::kPacket, *packet);
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
