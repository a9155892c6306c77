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
  kPerSecond,       // of things
  kBytesPerSecond,  //
  kCores,           // CPU time in the time
};
// "count", "nanoseconds", "bytes", "share", "per_second", "bytes_per_second", "cores"
std::string_view UnitName(Unit unit);

// What a measure is taken from.
struct MeasureNeeds {
  std::string_view what;  // "the source `cpu`"
  bool (*are_met)(const Reports& reports);
};

// A measure as it is defined: one row of the documentation. Name and subject together are unique.
struct MeasureKind {
  std::string_view name;         // "gc.pause.p99": dots from the general to the special
  std::optional<Signal> signal;  // nothing: of the recording, or of all of them
  Unit unit = Unit::kCount;
  std::string_view subject;  // what it is of: "type", "method"; empty: the whole process
  const MeasureNeeds* needs = nullptr;
  std::string_view meaning;  // a clause
};
std::span<const MeasureKind> MeasureKinds();
// nullptr: there is none.
const MeasureKind* FindMeasureKind(std::string_view name, std::string_view subject);

struct Measure {
  const MeasureKind* kind = nullptr;
  std::string subject;  // full name, as reports show it; empty: the whole process
  double value = 0;
  double error = 0;  // 95 %: the truth is within value +- error, 19 times in 20; 0: it was counted
};

// Those that the recording knows, in the order of their kinds, the largest value first. What was
// not recorded has no measure, not a zero; what was recorded and did not happen has a zero. Of
// measures with subjects those that happened are there, each subject once.
//
// Goes over the heap once more for its strings and collections. Memory: a row for each distinct
// type and method.
std::vector<Measure> MeasuresOf(const Reports& reports);

}  // namespace hindsight::analyzer
