// Individual requests, with their database commands and outgoing calls (requests.details=on).
//
// Bounded by routes and by kinds of commands and calls; only some individual requests are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/histogram.h"
#include "analyzer/model/packed_rows.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start unless noted otherwise.

enum class RequestPartKind : uint8_t { kCommand, kCall };

// Database commands, or calls to servers, of one kind and route.
struct RequestPartGroup {
  static constexpr uint32_t kOutside = UINT32_MAX;
  static constexpr size_t kMaxStacks = 64;

  RequestPartKind kind = RequestPartKind::kCommand;
  uint32_t route = kOutside;  // index into RequestDetails::routes; kOutside: in no known request
  std::string what;           // SELECT 1f2e3d4c, or bank.example:443; empty: unknown
  std::string text;           // of the command, if that was recorded
  uint64_t count = 0, failed = 0, total_ns = 0;
  // The ones in requests:
  uint64_t requests = 0;  // that made any
  Histogram per_request;  // how many each of those made
  uint64_t gaps = 0;      // between consecutive ones of a request, and the time in them
  uint64_t idle_ns = 0;
  uint64_t stretch_ns = 0;   // from the beginning of the first to the end of the last
  uint64_t requests_ns = 0;  // duration of those requests
  // Where they were begun, and how many there; at most kMaxStacks.
  std::vector<std::pair<StackId, uint64_t>> stacks;
};

struct RequestRoute {
  std::string name;  // GET /orders/{id}; empty: none
  uint64_t count = 0, total_ns = 0;
  uint64_t failed = 0;   // answered with 500 or above
  uint64_t refused = 0;  // with 400 to 499
  Histogram durations;
  // Time with at least one command in progress; with a call, but no command.
  uint64_t database_ns = 0, calls_ns = 0;
  uint64_t commands = 0, calls = 0;
};

struct SingleRequest {
  int64_t at_ns = 0;  // its start
  uint64_t duration_ns = 0;
  uint32_t route = 0;  // index into RequestDetails::routes
  uint32_t status = 0;
  uint64_t database_ns = 0, calls_ns = 0;
  uint64_t commands = 0, calls = 0;
  uint32_t thread = 0;  // ThreadIndex of the one that found its route; 0: none
  int64_t matched_ns = 0;
  double weight = 1;  // requests that it represents

  void Scale(uint64_t times) { weight *= static_cast<double>(times); }
  static constexpr auto Fields() {
    return std::tuple(&SingleRequest::at_ns, &SingleRequest::duration_ns, &SingleRequest::route,
                      &SingleRequest::status, &SingleRequest::database_ns, &SingleRequest::calls_ns,
                      &SingleRequest::commands, &SingleRequest::calls, &SingleRequest::thread,
                      &SingleRequest::matched_ns, &SingleRequest::weight);
  }
};

struct RequestDetails {
  static constexpr size_t kMaxRoutes = 1024;
  static constexpr size_t kMaxParts = 8192;
  static constexpr size_t kMaxSingle = size_t{1} << 17;
  static constexpr size_t kMaxSlowest = 20;

  std::optional<int64_t> from_ns;  // requests that began at or after this time are reported
  std::vector<RequestRoute> routes;
  std::vector<RequestPartGroup> parts;
  PackedRows<SingleRequest> single;    // thinned out beyond kMaxSingle
  std::vector<SingleRequest> slowest;  // of all, longest first
  uint64_t count = 0;
  bool lacks_some = false;  // there were more routes or parts
};

}  // namespace hindsight::analyzer
