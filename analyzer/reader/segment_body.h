// The body of a segment: from the zstd frame to checked packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/reader/recording_reader.h"
#include "proto/recording.pb.h"
#include "proto/segment.h"

struct ZSTD_DCtx_s;

namespace hindsight::analyzer {

// Decompresses frames. Not thread-safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Decompresses `frame` to `body`, which becomes header.raw_bytes long: never more, whatever the
  // frame claims. Returns null, or a clause that says what is wrong.
  const char* Run(const SegmentHeader& header, std::span<const std::byte> frame,
                  std::vector<std::byte>& body);

 private:
  ZSTD_DCtx_s* context_;
};

// Iterates over the packets of a body and resolves values that are relative to the previous packet.
// Packets are parsed one at a time, so memory is that of the largest one. Not thread-safe.
class PacketCursor {
 public:
  explicit PacketCursor(std::span<const std::byte> body) : left_(body) {}

  // The next packet of a known kind, valid until the next call. False: the end, or error().
  bool Next(Packet& packet, PacketContext& context);

  const char* error() const { return error_; }  // null, or a clause
  uint64_t packets() const { return packets_; }
  uint64_t unknown_packets() const { return unknown_packets_; }
  uint64_t first_unix_ns() const { return start_unix_ns_; }
  uint64_t last_unix_ns() const { return last_unix_ns_; }  // the latest of all packets so far

 private:
  bool NextField(std::span<const std::byte>& message);
  bool Resolve(const Packet& packet, PacketContext& context);
  bool Fail(const char* clause) {
    error_ = clause;
    return false;
  }

  std::span<const std::byte> left_;
  const char* error_ = nullptr;
  uint64_t packets_ = 0;
  uint64_t unknown_packets_ = 0;
  uint64_t start_monotonic_ns_ = 0;
  uint64_t start_unix_ns_ = 0;
  uint64_t monotonic_ns_ = 0;
  uint64_t last_unix_ns_ = 0;
  uint64_t next_exception_id_ = 0, next_wait_id_ = 0;
};

// Null if `packet` obeys the rules for ids and lengths, otherwise a clause.
const char* CheckPacket(const Packet& packet);
// Likewise: whether the references of the exception with this id can exist.
const char* CheckExceptionLinks(const Exception& event, uint64_t id);

}  // namespace hindsight::analyzer
