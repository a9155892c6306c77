// A profile in the format of speedscope (https://www.speedscope.app): "sampled" profiles that share
// their frames, one of all threads and one of each.
#pragma once

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"

namespace hindsight::analyzer {

struct SpeedscopeTotals {
  size_t profiles = 0;
  uint64_t amount = 0;  // of the first profile, which has all
  bool written = false;
};

// By the main measure. `profile` with its rows by thread (StackProfileQuery::in_time_order or not:
// the order of the rows is that of the samples).
SpeedscopeTotals WriteSpeedscope(const Model& model, const StackProfile& profile,
                                 const ExportFacts& facts, const ByteSink& sink);

// Numbers that the samples of such a file have: one for each frame of each row's path.
uint64_t SpeedscopeNumbers(const StackProfile& profile);

}  // namespace hindsight::analyzer
