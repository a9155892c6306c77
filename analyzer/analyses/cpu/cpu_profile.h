// CPU time by path, method, thread and over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/places/own_methods.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start; amounts of weights are nanoseconds of CPU time.

// The order of methods.
enum class MethodOrder : uint8_t { kUsual, kSelf, kTotal };

struct CpuQuery {
  int64_t from_ns = INT64_MIN;
  int64_t to_ns = INT64_MAX;
  std::string thread;  // see MatchesThread
  std::string focus;   // only paths through a method that matches this; see MatchesPattern
  bool bottom_up = false;
  MethodOrder order = MethodOrder::kUsual;  // usual: `methods` by self, `own` by total
  CallPathOptions paths;
};

struct CpuThread {
  static constexpr size_t kHottest = 5;

  ThreadIndex thread = 0;
  PathWeight weight;
  std::vector<MethodWeight> hottest;  // ordered by self (total is empty), at most kHottest
};

struct CpuProfileReport {
  static constexpr size_t kParts = 60;

  const Model* model = nullptr;
  // The query's time range, as far as the recording covers it.
  int64_t from_ns = 0, to_ns = 0;
  bool is_filtered = false;  // by time or thread

  PathWeight whole;                     // samples that pass the filters
  uint64_t unrooted = 0;                // part of these: outer frames are missing
  double cores = 0;                     // used on average
  std::vector<double> cores_over_time;  // in kParts equal parts; empty if the time range is

  // As requested: all paths, those below the focus, or its callers. paths.nodes[0].total is their
  // weight.
  CallPaths paths;
  std::vector<MethodWeight> methods;  // in all paths, or in those below the focus
  OwnCode own;                        // likewise; includes the methods that pass on
  std::vector<MethodWeight> native;   // those of `methods` that are native code
  std::vector<CpuThread> threads;     // ordered by CPU time, regardless of the focus

  uint64_t focus_matches = 0;  // methods that match the focus
};

// `model` must outlive the report.
CpuProfileReport AnalyzeCpu(const Model& model, const CpuQuery& query);

}  // namespace hindsight::analyzer
