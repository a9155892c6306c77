// What a cut takes from a recording: the segments and heap snapshots of a span of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/cut/cut.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/segment_index.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// What the packets of a segment show.
struct SegmentFacts {
  size_t segment = 0;                 // index
  int64_t first_ns = 0, last_ns = 0;  // from the recording's start
  uint64_t last_monotonic_ns = 0, last_unix_ns = 0;
  SegmentStart start;
  bool has_process = false;
  bool has_heap_files = false;
};

struct CutSpan {
  std::vector<SegmentFacts> segments;  // all readable ones of the recording, in order
  size_t first = 0, last = 0;          // indexes of the ones to copy
  int64_t first_ns = 0, last_ns = 0;   // the first and last event in them
  std::optional<Process> process;      // the first one in the recording
  std::set<uint32_t> heaps;            // numbers of the snapshots to copy
  std::set<uint32_t> heap_files;       // that the new recording should have
};

// Reads all events. An error: nothing was recorded in the span. `progress` may be null.
Result<CutSpan> FindCutSpan(const CutRequest& request, Recording& recording, Progress* progress);

}  // namespace hindsight::analyzer
