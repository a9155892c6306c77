// Finds the segments of one file and tells the intact from the damaged, by checksums alone.
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
  // CLOCK_REALTIME of its start and of its latest packet; 0 until its body has been read.
  uint64_t first_unix_ns = 0;
  uint64_t last_unix_ns = 0;

  uint64_t end() const { return offset + kSegmentHeaderBytes + header.compressed_bytes; }
};

// Bytes that are no segment; `cause`, `detail` and `sequence` as in Damage.
struct DamagedRange {
  Damage::Cause cause = Damage::Cause::kDamaged;
  uint32_t file = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::optional<uint64_t> sequence;
  const char* detail = "";  // lives forever
  bool hides_more = false;  // longer than the segment with this sequence: others may lie in it
  bool of_heap = false;     // the segment with this sequence is one of a heap snapshot
};

struct ScanResult {
  std::vector<SegmentRef> segments;   // by offset; lost ones included
  std::vector<DamagedRange> damages;  // by offset
  uint16_t newest_version = 0;        // of all intact headers
};

// Reads all of `file`, at most two segments at a time, and appends to `result`. `progress` is told
// the bytes done so far. Work is linear in the size of the file, whatever it holds.
void ScanFile(const FileReader& file, uint32_t file_index, ScanResult& result,
              const std::function<void(uint64_t)>& progress);

}  // namespace hindsight::analyzer
