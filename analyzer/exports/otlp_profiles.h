// A profile for OpenTelemetry: a ProfilesData message (see otlp_profiles.proto).
//
// One Profile for each measure, the main one first, with the same stacks. Samples are summed up by
// path, thread and type, which are attributes of theirs; what the recording is of (application,
// host, process, runtime, build) are attributes of the resource.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct OtlpTotals {
  uint64_t samples = 0;  // of one profile
  uint64_t functions = 0;
  bool written = false;
};

// `profile` with call_sites, without type_frames. `version`: of Hindsight. `lines` may be null.
// Memory: the file.
OtlpTotals WriteOtlpProfiles(const Model& model, const StackProfile& profile,
                             std::string_view version, const Lines* lines, const ByteSink& sink);

}  // namespace hindsight::analyzer
