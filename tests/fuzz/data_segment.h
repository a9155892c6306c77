// A body as the one segment of a recording.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "proto/segment.h"

namespace hindsight::fuzz {

inline std::vector<std::byte> DataSegment(std::span<const uint8_t> body) {
  std::vector<std::byte> bytes(kSegmentHeaderBytes + ZSTD_compressBound(body.size()));
  const std::span<std::byte> room = std::span(bytes).subspan(kSegmentHeaderBytes);
  const size_t frame = ZSTD_compress(room.data(), room.size(), body.data(), body.size(), 1);
  if (ZSTD_isError(frame)) std::abort();
  bytes.resize(kSegmentHeaderBytes + frame);
  SegmentHeader header;
  header.file_number = 1;
  header.compressed_bytes = static_cast<uint32_t>(frame);
  header.raw_bytes = static_cast<uint32_t>(body.size());
  header.body_crc32c = Crc32c(room.first(frame));
  EncodeSegmentHeader(header, std::span(bytes).first<kSegmentHeaderBytes>());
  return bytes;
}

}  // namespace hindsight::fuzz
