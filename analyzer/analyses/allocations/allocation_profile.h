// Allocations by type, path, thread and over time.
//
// Amounts of weights are bytes, counts are objects; both are estimated from samples. If each byte
// was sampled with the same probability (.NET 10), an object was sampled with a known probability q
// and represents 1/q objects, so the variance of the total bytes is estimated as the sum of (1 - q)
// / q^2 * size^2. If a tick was reported after a budget (before .NET 10), samples are not
// independent and no error can be derived; the error given is that of the same number of
// independent samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct AllocationQuery {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;  // from the recording's start
  std::string thread;                              // see MatchesThread
  std::string type;                                // see MatchesPattern
  std::string focus;                               // only paths through a matching method
  std::optional<AllocationHeap> heap;
  bool bottom_up = false;
  CallPathOptions paths;
};

// The part of a weight that a table of many pairs has room for.
struct SampledAmount {
  double amount = 0;
  uint64_t samples = 0;
};

struct AllocatedType {
  std::string name;  // types with the same name are merged
  PathWeight weight;
  FrameId site = 0;  // in whose code most of it was allocated: the innermost method of yours,
                     // otherwise the one that ran
  SampledAmount site_weight;
};

struct AllocatingThread {
  ThreadIndex thread = 0;
  PathWeight weight;
  std::string type;  // the one with the most bytes
};

struct AllocationReport {
  static constexpr size_t kParts = 60;
  static constexpr size_t kHeaps = 4;  // AllocationHeap

  explicit AllocationReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;  // the query's time range, as far as it was recorded

  PathWeight whole;  // everything that passes the filters
  std::array<PathWeight, kHeaps> heaps;
  std::vector<double> bytes_over_time;  // in kParts equal parts; empty if the time range is
  std::vector<AllocatedType> types;     // ordered by bytes, like the threads
  std::vector<AllocatingThread> threads;
  // As requested: all paths, those below the focus, or the callers.
  CallPaths paths;
  std::vector<MethodWeight> methods;  // ordered by self

  double seconds() const { return static_cast<double>(to_ns - from_ns) / 1e9; }
};

AllocationReport AnalyzeAllocations(const Model& model, const AllocationQuery& query);

// The weight of a sample of an object of `size` bytes that represents this many objects and bytes.
PathWeight WeightOf(uint64_t size, double objects, double bytes,
                    AllocationProfile::Sampling sampling);

// Half the width of the interval that contains the true value 19 times in 20, in the unit of the
// amount.
double ErrorOf(const PathWeight& weight);

}  // namespace hindsight::analyzer
