// Decoding a header, and the search for one: any bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "proto/limits.h"
#include "proto/segment.h"

using hindsight::DecodeSegmentHeader;
using hindsight::EncodeSegmentHeader;
using hindsight::FindSegment;
using hindsight::HeaderError;
using hindsight::SegmentHeader;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto data = std::as_bytes(std::span(bytes, size));
  SegmentHeader header;
  const HeaderError error = DecodeSegmentHeader(data, header);
  if (error == HeaderError::kNone) {
    if (header.raw_bytes > hindsight::kMaxSegmentRawBytes) std::abort();
    if (FindSegment(data, 0) != 0) std::abort();
  }
  for (size_t at = FindSegment(data, 0); at < size; at = FindSegment(data, at + 1)) {
    SegmentHeader found;
    if (DecodeSegmentHeader(data.subspan(at), found) == HeaderError::kNoMagic) std::abort();
  }
  // A header with the values of these bytes survives encoding and decoding.
  if (size >= 32) {
    SegmentHeader in;
    std::memcpy(&in.recording_id, bytes, 8);
    std::memcpy(&in.sequence, bytes + 8, 8);
    std::memcpy(&in.file_number, bytes + 16, 4);
    std::memcpy(&in.body_crc32c, bytes + 20, 4);
    std::byte encoded[hindsight::kSegmentHeaderBytes];
    EncodeSegmentHeader(in, encoded);
    SegmentHeader out;
    if (DecodeSegmentHeader(encoded, out) != HeaderError::kNone) std::abort();
    if (out.recording_id != in.recording_id || out.sequence != in.sequence ||
        out.file_number != in.file_number || out.body_crc32c != in.body_crc32c) {
      std::abort();
    }
  }
  return 0;
}
