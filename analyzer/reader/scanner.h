// Finds the segments of one file and separates intact from damaged ones, by checksums alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/reader/files.h"
#include "analyzer/model/integrity.h"
#include "proto/segment.h"

namespace hindsight::analyzer {

// A segment whose header is intact.
struct SegmentRef {
  SegmentHeader header;
  uint32_t file = 0;    // index into the recording's files
  uint64_t offset = 0;  // of the header
  bool lost = false;    // its body is damaged, or found invalid later
  // CLOCK_REALTIME of its start and of its latest packet; 0 until its body was read.
  uint64_t first_unix_ns = 0;
  uint64_t last_unix_ns = 0;

  uint64_t end() const { return offset + kSegmentHeaderBytes + header.compressed_bytes; }
};

// Bytes that are not a segment; `cause`, `detail` and `sequence` as in Damage.
struct DamagedRange {
  Damage::Cause cause = Damage::Cause::kDamaged;
  uint32_t file = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::optional<uint64_t> sequence;
  const char* detail = "";  // a string literal
  bool hides_more = false;  // longer than the segment with this sequence: it may contain others
  bool of_heap = false;     // the segment with this sequence belongs to a heap snapshot
};

struct ScanResult {
  std::vector<SegmentRef> segments;   // ordered by offset; includes lost ones
  std::vector<DamagedRange> damages;  // ordered by offset
  uint16_t newest_version = 0;        // of all intact headers
};

// Reads all of `file`, at most two segments at a time, and appends to `result`. `progress` receives
// the bytes done so far. The work is linear in the size of the file, whatever it contains.
void ScanFile(const FileReader& file, uint32_t file_index, ScanResult& result,
              const std::function<void(uint64_t)>& progress);

}  // namespace hindsight::analyzer
