#include "proto/segment.h"

#include <array>
#include <cstring>
#include <string_view>

#include "proto/limits.h"

namespace hindsight {
namespace {

// Layout; FORMAT.md shows it byte by byte.
//   0 u32 zstd skippable magic   4 u32 bytes after this field (56)
//   8 u64 our magic             16 u16 version   18 u16 kind   20 u32 file number
//  24 u64 recording id          32 u64 sequence
//  40 u32 compressed bytes      44 u32 raw bytes
//  48 u32 crc32c of the frame   52 u32 oldest sequence
//  56 u32 oldest file; its top bit: deleted for a full disk   60 u32 crc32c of bytes 0..59
constexpr uint32_t kSkippableMagic = 0x184d2a58;
constexpr std::array<char, 8> kMagic = {'h', 'i', 'n', 'd', 's', 'g', 't', '\n'};
constexpr size_t kMagicOffset = 8;
constexpr size_t kHeaderCrcOffset = 60;
constexpr uint32_t kFullDiskBit = ~kMaxOldestFile;

template <typename T>
void Put(std::byte* at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <typename T>
T Get(const std::byte* at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(std::to_integer<uint8_t>(at[i])) << (8 * i));
  }
  return value;
}

// Slicing by eight: a table per byte position of a 64-bit word.
constexpr auto kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t) {
    for (uint32_t i = 0; i < 256; ++i) {
      tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
    }
  }
  return tables;
}();

}  // namespace

uint32_t Crc32c(std::span<const std::byte> data, uint32_t crc) {
  crc = ~crc;
  const std::byte* at = data.data();
  size_t left = data.size();
  for (; left >= 8; at += 8, left -= 8) {
    const uint64_t word = Get<uint64_t>(at) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kCrcTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; left > 0; ++at, --left) {
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ std::to_integer<uint32_t>(*at)) & 0xff];
  }
  return ~crc;
}

void EncodeSegmentHeader(const SegmentHeader& header,
                         std::span<std::byte, kSegmentHeaderBytes> out) {
  std::byte* at = out.data();
  Put<uint32_t>(at, kSkippableMagic);
  Put<uint32_t>(at + 4, kSegmentHeaderBytes - 8);
  std::memcpy(at + kMagicOffset, kMagic.data(), kMagic.size());
  Put<uint16_t>(at + 16, header.version);
  Put<uint16_t>(at + 18, static_cast<uint16_t>(header.kind));
  Put<uint32_t>(at + 20, header.file_number);
  Put<uint64_t>(at + 24, header.recording_id);
  Put<uint64_t>(at + 32, header.sequence);
  Put<uint32_t>(at + 40, header.compressed_bytes);
  Put<uint32_t>(at + 44, header.raw_bytes);
  Put<uint32_t>(at + 48, header.body_crc32c);
  Put<uint32_t>(at + 52, header.oldest_sequence);
  Put<uint32_t>(at + 56, header.oldest_file | (header.deleted_for_full_disk ? kFullDiskBit : 0));
  Put<uint32_t>(at + kHeaderCrcOffset, Crc32c(out.first(kHeaderCrcOffset)));
}

HeaderError DecodeSegmentHeader(std::span<const std::byte> data, SegmentHeader& out) {
  if (data.size() < kSegmentHeaderBytes) return HeaderError::kTooShort;
  const std::byte* at = data.data();
  if (Get<uint32_t>(at) != kSkippableMagic || Get<uint32_t>(at + 4) != kSegmentHeaderBytes - 8 ||
      std::memcmp(at + kMagicOffset, kMagic.data(), kMagic.size()) != 0) {
    return HeaderError::kNoMagic;
  }
  if (Get<uint32_t>(at + kHeaderCrcOffset) != Crc32c(data.first(kHeaderCrcOffset))) {
    return HeaderError::kChecksum;
  }
  out.version = Get<uint16_t>(at + 16);
  out.kind = static_cast<SegmentKind>(Get<uint16_t>(at + 18));
  out.file_number = Get<uint32_t>(at + 20);
  out.recording_id = Get<uint64_t>(at + 24);
  out.sequence = Get<uint64_t>(at + 32);
  out.compressed_bytes = Get<uint32_t>(at + 40);
  out.raw_bytes = Get<uint32_t>(at + 44);
  out.body_crc32c = Get<uint32_t>(at + 48);
  out.oldest_sequence = Get<uint32_t>(at + 52);
  const uint32_t oldest_file = Get<uint32_t>(at + 56);
  out.oldest_file = oldest_file & ~kFullDiskBit;
  out.deleted_for_full_disk = (oldest_file & kFullDiskBit) != 0;
  if (out.version > kFormatVersion) return HeaderError::kNewerVersion;
  if (out.raw_bytes > kMaxSegmentRawBytes || out.compressed_bytes > kMaxSegmentCompressedBytes) {
    return HeaderError::kOverLimit;
  }
  return HeaderError::kNone;
}

size_t FindSegment(std::span<const std::byte> data, size_t from) {
  std::array<std::byte, 8> start;
  Put<uint32_t>(start.data(), kSkippableMagic);
  Put<uint32_t>(start.data() + 4, kSegmentHeaderBytes - 8);
  const std::string_view all(reinterpret_cast<const char*>(data.data()), data.size());
  const std::string_view wanted(reinterpret_cast<const char*>(start.data()), start.size());
  while (from < data.size()) {
    from = all.find(wanted, from);
    if (from == all.npos) return data.size();
    if (data.size() - from >= kMagicOffset + kMagic.size() &&
        std::memcmp(data.data() + from + kMagicOffset, kMagic.data(), kMagic.size()) == 0) {
      return from;
    }
    ++from;
  }
  return data.size();
}

}  // namespace hindsight
