// A profile for OpenTelemetry: a ProfilesData message (see otlp_profiles.proto).
//
// One Profile per measure, the main one first, all with the same stacks. Samples are summed up by
// path, thread and type, which are attributes of the samples; what was recorded (application, host,
// process, runtime, build) are attributes of the resource.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct OtlpTotals {
  uint64_t samples = 0;  // in each profile
  uint64_t functions = 0;
  bool written = false;
};

// `profile` must have call_sites, and no type_frames. `version`: of Hindsight. `lines` may be null.
// Memory: the size of the file.
OtlpTotals WriteOtlpProfiles(const Model& model, const StackProfile& profile,
                             std::string_view version, const Lines* lines, const ByteSink& sink);

}  // namespace hindsight::analyzer
