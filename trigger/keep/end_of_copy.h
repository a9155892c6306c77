// The last segment of a copy: it says that the copy ends here and is a part of a recording that
// continued.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/segment.h"

namespace hindsight::trigger {

// The id of a copy that is made now: as unique as the recorder's.
uint64_t IdOfCopy(uint64_t whole_id, uint64_t unix_ns);

struct CopyEnd {
  SegmentHeader last;  // of the copy's segments
  uint64_t copy_id = 0;
  std::string_view whole;                  // name of the recording's folder
  uint64_t monotonic_ns = 0, unix_ns = 0;  // now
};

// A whole segment, header and body, to follow `last`.
std::string EndSegment(const CopyEnd& end);

}  // namespace hindsight::trigger
