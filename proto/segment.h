// The container of a recording: a file is a sequence of segments and nothing else.
//
// A segment is a zstd skippable frame with a fixed header, followed by one ordinary zstd frame with
// a `Recording` message. Standard tools skip the header. Our reader checks it, and finds the next
// segment after corrupt data by its magic. All integers are little-endian. FORMAT.md lists the
// bytes.
//
// Pure functions over bytes: any thread, no allocation, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight {

inline constexpr size_t kSegmentHeaderBytes = 64;
inline constexpr uint16_t kFormatVersion = 1;
inline constexpr uint32_t kMaxOldestFile = 0x7fffffff;

enum class SegmentKind : uint16_t {
  kData = 1,
  kLast = 2,  // the last segment of a recording that was closed properly
  // Segments of heap snapshots. file_number is then the snapshot's number, and the sequence counts
  // the segments of its file, from 0. Snapshot files are not among the numbered files.
  kHeapTables = 3,
  kHeapObjects = 4,
};

struct SegmentHeader {
  uint16_t version = kFormatVersion;  // a reader refuses versions above its own
  SegmentKind kind = SegmentKind::kData;
  uint32_t file_number = 0;       // of the file that the segment was written to, from 1
  uint64_t recording_id = 0;      // random; the same in all segments of a recording
  uint64_t sequence = 0;          // from 0, without gaps over all files of the recording
  uint32_t compressed_bytes = 0;  // of the zstd frame that follows
  uint32_t raw_bytes = 0;         // of the body in it
  uint32_t body_crc32c = 0;       // of the zstd frame, as stored
  // What the recorder had deleted when it wrote this: files before oldest_file, and so segments
  // before oldest_sequence. 0 and 0: not known (other kinds of segments, older recorders).
  uint32_t oldest_file = 0;            // at most kMaxOldestFile
  uint32_t oldest_sequence = 0;        // UINT32_MAX: this or any higher
  bool deleted_for_full_disk = false;  // some of them; others because of limit.disk
};

enum class HeaderError {
  kNone,
  kTooShort,      // fewer than kSegmentHeaderBytes
  kNoMagic,       // not a Hindsight segment
  kChecksum,      // the header is damaged
  kNewerVersion,  // intact, but written by a newer Hindsight
  kOverLimit,     // intact, but larger than proto/limits.h allows
};

// CRC-32C (Castagnoli). `crc` continues an earlier result; 0 starts.
uint32_t Crc32c(std::span<const std::byte> data, uint32_t crc = 0);

void EncodeSegmentHeader(const SegmentHeader& header,
                         std::span<std::byte, kSegmentHeaderBytes> out);

// Reads the header at the start of `data`. `out` is written when the result is kNone, kNewerVersion
// or kOverLimit.
HeaderError DecodeSegmentHeader(std::span<const std::byte> data, SegmentHeader& out);

// Offset of the first place at or after `from` where a segment could begin, or data.size().
size_t FindSegment(std::span<const std::byte> data, size_t from);

}  // namespace hindsight
