// When two findings are the same.
#pragma once

#include <compare>
#include <string>

#include "analyzer/analyses/overview/finding.h"

namespace hindsight::analyzer {

// The same kind of problem in the same place, wherever it occurs: in another recording, on another
// host, in another build. Subjects are names, never addresses.
struct FindingKey {
  Signal signal = Signal::kDeadlocks;
  std::string kind, subject;
  auto operator<=>(const FindingKey&) const = default;
};

template <typename F>
FindingKey KeyOf(const F& finding) {
  return {finding.signal, finding.kind, finding.subject};
}

}  // namespace hindsight::analyzer
