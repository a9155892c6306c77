// Every number that the reports show, under a name: what budgets are about, what two recordings are
// compared by, and a table of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"

namespace hindsight::analyzer {

enum class Unit : uint8_t {
  kCount,
  kNanoseconds,
  kBytes,
  kShare,           // 0..1
  kPerSecond,       // of things
  kBytesPerSecond,  //
  kCores,           // CPU time in the time
};

// A measure as it is defined: one row of the documentation.
struct MeasureKind {
  std::string_view name;  // "gc.pause.p99": dots from the general to the special
  Signal signal = Signal::kDeadlocks;
  Unit unit = Unit::kCount;
  std::string_view subject;  // what it is of: "type", "method"; empty: the whole process
  std::string_view meaning;  // a clause
};
std::span<const MeasureKind> MeasureKinds();

struct Measure {
  const MeasureKind* kind = nullptr;
  std::string subject;  // full name, as reports show it; empty: the whole process
  double value = 0;
  double error = 0;  // 95 %: the truth is within value +- error, 19 times in 20; 0: it was counted
};

// Those that the recording knows. What was not recorded has no measure, not a zero; what was
// recorded and did not happen has a zero. Of measures with subjects those that happened are there.
std::vector<Measure> MeasuresOf(const Reports& reports);

}  // namespace hindsight::analyzer
