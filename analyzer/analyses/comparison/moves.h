// Whether the amounts of a row only moved: the code around it lost what the row won, or the
// reverse, because a compiler put a method into its caller in one recording and not in the other,
// or a method's callees ran without it.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/analyses/comparison/changes.h"

namespace hindsight::analyzer {

// Of a cell against the whole, as all tests of a signal are made.
ChangeTest TestOf(const SignalChanges& signal, const ChangeCell& cell, double margin,
                  const ChangeRules& rules);

// Cells for which `is_reported` have been explained by another change. `p_limit`: see HolmLimit.
bool HasMoved(const SignalChanges& signal, const Change& change,
              const std::function<bool(uint32_t cell)>& is_reported, double p_limit,
              const ChangeRules& rules);

// The same of what may be chance anyway: that it may have moved is enough.
bool MayHaveMoved(const SignalChanges& signal, const Change& change, const ChangeRules& rules);

}  // namespace hindsight::analyzer
