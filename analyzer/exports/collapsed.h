// A profile as collapsed stacks: a line for each path, frames outermost first with `;` between
// them, a space, and the amount. Read by flamegraph.pl, speedscope, inferno and their like.
//
// Readers split lines at `;` and at a space, so names have none: `;` becomes `:`, a space after a
// comma goes, other white space becomes `_`.
#pragma once

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// By the main measure; all threads together. Lines are sorted. Whether all was written.
bool WriteCollapsed(const StackProfile& profile, const ByteSink& sink);

}  // namespace hindsight::analyzer
