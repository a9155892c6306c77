// Every number in the reports, by name: for budgets, comparisons and the table `measures`.
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
  kPerSecond,       // number per second
  kBytesPerSecond,  //
  kCores,           // CPU time per time
};
// "count", "nanoseconds", "bytes", "share", "per_second", "bytes_per_second", "cores"
std::string_view UnitName(Unit unit);

// What a measure is computed from.
struct MeasureNeeds {
  std::string_view what;  // "the source `cpu`"
  bool (*are_met)(const Reports& reports);
};

// The definition of a measure: one row of the documentation. Name and subject together are unique.
struct MeasureKind {
  std::string_view name;         // "gc.pause.p99": dots lead from the general to the specific
  std::optional<Signal> signal;  // nullopt: of the recording, or of all signals
  Unit unit = Unit::kCount;
  std::string_view subject;  // what it is measured for: "type", "method"; empty: the whole process
  const MeasureNeeds* needs = nullptr;
  std::string_view meaning;  // a clause
};
std::span<const MeasureKind> MeasureKinds();
// nullptr: unknown.
const MeasureKind* FindMeasureKind(std::string_view name, std::string_view subject);

struct Measure {
  const MeasureKind* kind = nullptr;
  std::string subject;  // full name, as reports show it; empty: the whole process
  double value = 0;
  double error =
      0;  // 95 %: the true value is within value +- error 19 times in 20; 0: it was counted
};

// Those that the recording provides, in the order of their kinds, then largest value first. What
// was not recorded has no measure, not a zero; what was recorded but did not happen has a zero.
// Measures with subjects only include subjects that occurred, each once.
//
// Reads the strings and collections of the heap once more. Memory: one row per distinct type and
// method.
std::vector<Measure> MeasuresOf(const Reports& reports);

}  // namespace hindsight::analyzer
