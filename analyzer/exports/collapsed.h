// A profile as collapsed stacks: one line per path, with frames outermost first and `;` between
// them, then a space and the amount. Read by flamegraph.pl, speedscope, inferno and similar tools.
//
// Readers split lines at `;` and at a space, so names contain neither: `;` becomes `:`, a space
// after a comma is removed, other white space becomes `_`.
#pragma once

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// Uses the main measure; all threads together. Lines are sorted. Returns whether everything was
// written.
bool WriteCollapsed(const StackProfile& profile, const ByteSink& sink);

}  // namespace hindsight::analyzer
