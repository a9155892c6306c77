// Requests that the process served, and requests that it made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/histogram.h"
#include "analyzer/model/request_details.h"
#include "analyzer/model/time_series.h"

namespace hindsight::analyzer {

// What happened between the previous sample and `at_ns`, from the recording's start.
struct RequestSample {
  int64_t at_ns = 0;
  uint64_t started = 0, finished = 0;
  uint64_t failed = 0;    // of `finished`: with an unhandled exception
  uint64_t total_ns = 0;  // in progress, of all requests together
  // In progress at one of several moments in between; nullopt: not known.
  std::optional<uint64_t> fewest = std::nullopt;
};

// Requests with the same tags (requests.routes=on).
struct RequestKind {
  enum class Side : uint8_t { kServed, kMade };
  Side side = Side::kServed;
  std::string tags;  // RequestDurations.tags of the schema
  uint64_t count = 0, total_ns = 0;
  Histogram durations;       // estimated from quantiles for each second
  TimeSeries counts, times;  // of count and total_ns, each spread over its second
  // The 99th percentile of the second in which it was the largest.
  uint64_t slowest_ns = 0;
  int64_t slowest_at_ns = 0;
};

struct Requests {
  static constexpr size_t kMaxRows = 4096;
  std::vector<RequestSample> samples;  // ordered by time; neighbors are merged beyond kMaxRows
  uint64_t started = 0, finished = 0, failed = 0;
  // In progress when counting began, as far as the recorder was told: their ends are counted, and
  // their time from then on.
  uint64_t began_before = 0;
  // Answered with a status of 500 or more, with or without an exception; nullopt: not recorded.
  std::optional<uint64_t> server_errors;
  int64_t last_error_ns = 0;  // when the last of them was counted, to about a second
  uint64_t total_ns = 0;      // of those in progress at the end, too; see MeanRequestOf

  static constexpr size_t kMaxKinds = 4096;
  std::vector<RequestKind> kinds;  // in the order of their first occurrence
  bool lacks_kinds = false;        // there were more than the runtime, or this table, could hold
  bool is_refused = false;         // because another tool reads the process's metrics
  std::optional<int64_t> kinds_from_ns;  // when they began to be recorded
  RequestDetails details;

  // Whether kinds were reported, even if there were none.
  bool has_kinds() const { return kinds_from_ns.has_value() || !kinds.empty(); }
  // With an exception or a status of 500 or more, as far as recorded: at least.
  uint64_t FailedInAll() const { return std::max(failed, server_errors.value_or(0)); }
  // At the end of the recording.
  uint64_t in_progress() const {
    const uint64_t begun = started + began_before;
    return begun > finished ? begun - finished : 0;
  }
};

}  // namespace hindsight::analyzer
