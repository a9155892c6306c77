// A part of a recording as a recording of its own.
//
// Segments are copied whole, so the part begins and ends up to a segment (a second; ten of a quiet
// process) outside of what was asked for. What they refer to stands in dictionaries that their file
// began earlier: these entries go into segments before the first that is copied. Times, and so all
// ids and deltas, stay what they were: a moment of the part is reported as it is of the whole.
//
// The part has a recording id of its own, made from that of the whole and the span, and counts its
// files and segments anew. What was lost within the span is as lost in the part.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

class Progress;

struct CutRequest {
  std::span<const std::string> paths;  // as Recording::Open takes them
  // Nanoseconds from the recording's start, as commands take them; both ends belong to it.
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  std::string output;  // the new recording's folder; nothing has that name yet
};

struct CutDone {
  uint64_t files = 0;
  uint64_t snapshots = 0;  // of the heap, taken within the span
  uint64_t bytes = 0;
  // Of what was copied, from the recording's start.
  int64_t first_ns = 0, last_ns = 0;
};

// Reads the recording twice, a few segments at a time. After an error nothing is left of the new
// recording. `progress` may be null.
Result<CutDone> CutRecording(const CutRequest& request, Progress* progress);

}  // namespace hindsight::analyzer
