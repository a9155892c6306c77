// A profile in the format of speedscope (https://www.speedscope.app): "sampled" profiles that share
// their frames, one for all threads and one for each.
#pragma once

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"

namespace hindsight::analyzer {

struct SpeedscopeTotals {
  size_t profiles = 0;
  uint64_t amount = 0;  // of the first profile, which contains everything
  bool written = false;
};

// Uses the main measure. The rows of `profile` must be grouped by thread (with or without
// StackProfileQuery::in_time_order); their order is that of the samples.
SpeedscopeTotals WriteSpeedscope(const Model& model, const StackProfile& profile,
                                 const ExportFacts& facts, const ByteSink& sink);

// How many numbers the samples of such a file consist of: one for each frame of each row's path.
uint64_t SpeedscopeNumbers(const StackProfile& profile);

}  // namespace hindsight::analyzer
