// Requests by target: those served by route, those made by host.
//
// Kinds of requests that differ only in how they ended (status, exception) are merged. Percentiles
// are computed from those of each second, so they are estimates; counts and sums are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/request_work.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// How the requests of a row ended.
struct RequestEnding {
  std::string status;  // "200"; empty: none was sent, or received
  std::string error;   // type of the exception, or the framework's name for the error; empty: none
  bool is_failure = false;
  bool is_refusal = false;  // a status of 400 to 499, and no failure
  uint64_t count = 0;

  // "500, System.InvalidOperationException"; empty: neither is known.
  std::string How() const;
};

struct RequestRow {
  std::string method;  // "GET"
  std::string target;  // served: the route's template, empty if none matched; made: host:port
  uint64_t count = 0, failed = 0, refused = 0;
  uint64_t total_ns = 0;
  uint64_t p50_ns = 0, p95_ns = 0, p99_ns = 0;
  uint64_t slowest_ns = 0;  // the 99th percentile of the slowest second, which ended at:
  int64_t slowest_at_ns = 0;
  double variance_ns2 = 0;             // of a request's time, estimated
  TimeSeries counts, failures, times;  // of count, failed and total_ns
  std::vector<RequestEnding> endings;  // failures first, then refusals, by count

  uint64_t mean_ns() const { return count == 0 ? 0 : total_ns / count; }
  // "GET /orders/{id}"; `without_target` replaces an unknown target.
  std::string Name(std::string_view without_target) const;
};

struct RequestReport {
  const Model* model = nullptr;          // must outlive the report
  std::vector<RequestRow> served, made;  // most total time first
  RequestWork work;                      // of individual requests
};

RequestReport AnalyzeRequests(const Model& model);

// Whether code is loaded that keeps requests open for as long as the client wants: WebSockets,
// SignalR, Blazor, streams of gRPC.
bool MayKeepRequestsOpen(const Dictionaries& dictionaries);

// The value of one tag in a metric's list `a=b,c=d`; values may contain commas and equals signs
// inside braces, as routes do. nullopt: there is no such tag.
std::optional<std::string_view> TagOf(std::string_view tags, std::string_view name);

}  // namespace hindsight::analyzer
