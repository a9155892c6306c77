// All signals on one time axis, and notable moments.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start.

struct TimelineSeries {
  enum class Kind : uint8_t {
    kCpu,          // cores
    kAllocations,  // bytes per second
    kPauses,       // share of the time
    kHeap,         // bytes after the last collection
    kMemory,       // resident bytes of the process, maximum
    kCompiler,     // threads that compile
    kExceptions,   // first throws per second
    kRequests,     // finished per second
    kInProgress,   // requests, mean
    kPoolQueue,    // waiting work items, maximum
    kPoolWorkers,  // maximum
    kThreads,      // alive, maximum
    kOpenFiles,    // maximum
  };
  Kind kind = Kind::kCpu;
  std::vector<double> values;  // one for each part
  double peak = 0;
  int64_t peak_at_ns = 0;  // the beginning of its part
  double mean = 0;
};

struct TimelineMark {
  enum class Kind : uint8_t {
    kLongestPause,  // `ns`
    kLongestWait,   // `ns`, `method`: for a lock
    kMostCpu,       // `amount`, in the unit of the series; likewise the next five
    kMostAllocations,
    kMostExceptions,
    kMostRequests,
    kMostInProgress,
    kLongestQueue,
    kStarvation,  // of the pool, the first
    kHeapSnapshot,
    kRule,  // `ns`: index into the recording's rule_acts
    kFatalError,
  };
  Kind kind = Kind::kLongestPause;
  int64_t at_ns = 0;
  uint64_t ns = 0;
  double amount = 0;
  MethodId method = 0;
};

struct TimelineRules {
  double stands_out = 1.5;    // a peak is marked if it is this many times the mean of its series
  double min_exceptions = 5;  // in a part: fewer are not a storm, however high their rate
};

struct TimelineQuery {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  uint32_t parts = 60;
};

struct Timeline {
  explicit Timeline(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive this
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;
  uint32_t parts = 0;                  // 0: the time range is empty
  std::vector<TimelineSeries> series;  // those with any data, in the order of Kind
  std::vector<TimelineMark> marks;     // ordered by time

  double PartNs() const { return static_cast<double>(to_ns - from_ns) / parts; }
  // For a time from from_ns to to_ns.
  uint32_t PartOf(int64_t at_ns) const;
};

Timeline BuildTimeline(const Model& model, const TimelineQuery& query,
                       const TimelineRules& rules = {});

}  // namespace hindsight::analyzer
