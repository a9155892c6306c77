#include "analyzer/reader/segment_body.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <zstd.h>

#include <algorithm>

#include "proto/limits.h"
#include "proto/recording_fields.h"

namespace hindsight::analyzer {
namespace {

using google::protobuf::internal::WireFormatLite;

// Sets `out` to base + (at - from); false if that is not a time.
bool Shift(uint64_t base, uint64_t from, uint64_t at, uint64_t& out) {
  if (at >= from) return !__builtin_add_overflow(base, at - from, &out);
  return !__builtin_sub_overflow(base, from - at, &out);
}

}  // namespace

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {}
Decompressor::~Decompressor() { ZSTD_freeDCtx(context_); }

const char* Decompressor::Run(const SegmentHeader& header, std::span<const std::byte> frame,
                              std::vector<std::byte>& body) {
  if (context_ == nullptr) return "out of memory while decompressing it";
  const size_t frame_bytes = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_bytes) || frame_bytes != frame.size()) {
    return "the body is not exactly one zstd frame";
  }
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content != ZSTD_CONTENTSIZE_UNKNOWN && content != header.raw_bytes) {
    return "the body's size is not the one in the header";
  }
  body.resize(header.raw_bytes);
  const size_t size =
      ZSTD_decompressDCtx(context_, body.data(), body.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) return "the body cannot be decompressed to the size in the header";
  if (size != body.size()) return "the body's size is not the one in the header";
  return nullptr;
}

bool PacketCursor::NextField(std::span<const std::byte>& message) {
  while (!left_.empty()) {
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(left_.data()),
                                              static_cast<int>(left_.size()));
    const uint32_t tag = in.ReadTag();
    if (tag == wire::Recording::kPacket.kTag) {
      uint32_t size = 0;
      if (!in.ReadVarint32(&size)) return Fail("a packet's length is damaged");
      const auto at = static_cast<size_t>(in.CurrentPosition());
      if (size > left_.size() - at) return Fail("a packet is longer than its segment");
      if (size > kMaxPacketBytes) return Fail("a packet is larger than the format allows");
      message = left_.subspan(at, size);
      left_ = left_.subspan(at + size);
      return true;
    }
    if (tag == 0 || !WireFormatLite::SkipField(&in, tag)) {
      return Fail("the body is not a Recording message");
    }
    left_ = left_.subspan(static_cast<size_t>(in.CurrentPosition()));
  }
  return false;
}

bool PacketCursor::Next(Packet& packet, PacketContext& context) {
  if (error_ != nullptr) return false;
  std::span<const std::byte> message;
  while (NextField(message)) {
    if (message.empty()) return Fail("a packet is empty");
    if (packets_ == kMaxSegmentPackets) return Fail("a segment has more packets than allowed");
    if (!packet.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
      return Fail("a packet cannot be parsed");
    }
    if (const char* clause = CheckPacket(packet)) return Fail(clause);
    if (!Resolve(packet, context)) return false;
    ++packets_;
    if (packet.data_case() != Packet::DATA_NOT_SET) return true;
    ++unknown_packets_;
  }
  if (error_ == nullptr && packets_ == 0) return Fail("the body is empty");
  return false;
}

namespace {

// Decodes the id from a delta; ids count from 1.
bool Advance(int64_t delta, uint64_t& next, uint64_t& id) {
  return !__builtin_add_overflow(next, delta, &id) && id != 0 &&
         !__builtin_add_overflow(id, 1, &next);
}

}  // namespace

bool PacketCursor::Resolve(const Packet& packet, PacketContext& context) {
  if (packet.has_segment_start() != (packets_ == 0)) {
    return Fail("SegmentStart is not the first packet, or not the only one");
  }
  if (packet.has_segment_start()) {
    start_monotonic_ns_ = monotonic_ns_ = packet.segment_start().monotonic_ns();
    start_unix_ns_ = packet.segment_start().unix_ns();
  }
  if (__builtin_add_overflow(monotonic_ns_, packet.time_delta_ns(), &monotonic_ns_) ||
      !Shift(start_unix_ns_, start_monotonic_ns_, monotonic_ns_, context.unix_ns)) {
    return Fail("a packet's time is out of range");
  }
  context.monotonic_ns = monotonic_ns_;
  last_unix_ns_ = std::max(last_unix_ns_, context.unix_ns);
  context.exception_id = context.wait_id = 0;
  if (packet.has_exception()) {
    const Exception& exception = packet.exception();
    if (!Advance(exception.id_delta(), next_exception_id_, context.exception_id)) {
      return Fail("an exception's id is out of range");
    }
    if (const char* clause = CheckExceptionLinks(exception, context.exception_id)) {
      return Fail(clause);
    }
  }
  if (packet.has_lock_wait() &&
      !Advance(packet.lock_wait().id_delta(), next_wait_id_, context.wait_id)) {
    return Fail("a wait's id is out of range");
  }
  return true;
}

}  // namespace hindsight::analyzer
