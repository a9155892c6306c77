// Whether the amounts of a row only moved: the surrounding code lost what the row gained, or the
// reverse, because the JIT inlined a method into its caller in only one of the recordings, or a
// method's callees ran outside of it.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/analyses/comparison/changes.h"

namespace hindsight::analyzer {

// Tests a cell against the whole, as in all tests of a signal.
ChangeTest TestOf(const SignalChanges& signal, const ChangeCell& cell, double margin,
                  const ChangeRules& rules);

// Cells with `is_reported` are explained by another change. `p_limit`: see HolmLimit.
bool HasMoved(const SignalChanges& signal, const Change& change,
              const std::function<bool(uint32_t cell)>& is_reported, double p_limit,
              const ChangeRules& rules);

// The same for a change that may be due to chance anyway: it is enough that it may have moved.
bool MayHaveMoved(const SignalChanges& signal, const Change& change, const ChangeRules& rules);

}  // namespace hindsight::analyzer
