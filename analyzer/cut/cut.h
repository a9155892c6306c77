// A part of a recording as a separate recording.
//
// Segments are copied whole, so the part begins and ends up to one segment (a second; ten in a
// quiet process) outside of the requested span. They refer to dictionary entries from earlier in
// their file: these entries are written to segments before the first copied one. Times, and
// therefore all ids and deltas, stay the same: a moment has the same time in the part as in the
// whole.
//
// The part has its own recording id, derived from that of the whole and the span, and numbers its
// files and segments anew. What was lost within the span is also lost in the part.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

class Progress;

struct CutRequest {
  std::span<const std::string> paths;  // as for Recording::Open
  // Nanoseconds from the recording's start, as in commands; both ends are inclusive.
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  std::string output;  // the new recording's folder, which must not exist
};

struct CutDone {
  uint64_t files = 0;
  uint64_t snapshots = 0;  // heap snapshots taken within the span
  uint64_t bytes = 0;
  // The copied range, from the recording's start.
  int64_t first_ns = 0, last_ns = 0;
};

// Reads the recording twice, a few segments at a time. After an error, nothing is left of the new
// recording. `progress` may be null.
Result<CutDone> CutRecording(const CutRequest& request, Progress* progress);

}  // namespace hindsight::analyzer
