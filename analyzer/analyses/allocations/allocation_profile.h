// Allocations by type, path, thread and over time.
//
// Amounts of weights are bytes, counts are objects; both are estimates from samples. Where each
// byte was sampled with the same probability (.NET 10), an object was sampled with a known
// probability q and stands for 1/q objects, so the variance of the bytes of all is estimated by the
// sum of (1 - q) / q^2 * size^2. Where a tick was reported after a budget (before .NET 10), samples
// are not independent and no error can be derived; that of as many independent ones is given.
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
  std::string focus;                               // only paths through such a method
  std::optional<AllocationHeap> heap;
  bool bottom_up = false;
  CallPathOptions paths;
};

struct AllocatedType {
  std::string name;  // types of one name are one
  PathWeight weight;
  FrameId site = 0;  // in whose code most of it was: the innermost of yours, else what ran
  PathWeight site_weight;
};

struct AllocatingThread {
  ThreadIndex thread = 0;
  PathWeight weight;
  std::string type;  // most bytes
};

struct AllocationReport {
  static constexpr size_t kParts = 60;
  static constexpr size_t kHeaps = 4;  // AllocationHeap

  explicit AllocationReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // outlives the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;  // what the query is about, as far as it is recorded

  PathWeight whole;  // that passes the filters
  std::array<PathWeight, kHeaps> heaps;
  std::vector<double> bytes_over_time;  // in kParts equal parts; empty if there is no time
  std::vector<AllocatedType> types;     // by bytes, as the threads
  std::vector<AllocatingThread> threads;
  // As asked: all paths, those below the focus, or the callers.
  CallPaths paths;
  std::vector<MethodWeight> methods;  // by self

  double seconds() const { return static_cast<double>(to_ns - from_ns) / 1e9; }
};

AllocationReport AnalyzeAllocations(const Model& model, const AllocationQuery& query);

// Of one sample of an object of `size` bytes that stands for so many, and for their bytes.
PathWeight WeightOf(uint64_t size, double objects, double bytes,
                    AllocationProfile::Sampling sampling);

// Half of the interval in which the truth lies 19 times in 20, in the unit of the amount.
double ErrorOf(const PathWeight& weight);

}  // namespace hindsight::analyzer
