// What individual requests did, by route: the commands and calls that they made, and what their
// time consisted of, as far as that was observed.
//
// Commands, calls and collections are exact. CPU time and waits for locks belong to threads, and a
// thread serves one request after another. They are attributed to a route if they are on the stack
// of a server that matched this route on this thread, and the request is still in progress; or else
// if the stack has a method of yours that was seen in that way below this route alone (an async
// method that resumes after an await has no frames of the server on its stack). CPU time in a
// database command is attributed to the command. What neither of them reports is unknown: waits for
// a processor, for the pool, for tasks, for other I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/places/places.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Whether this is a method that an ASP.NET Core server calls for each request, on the thread that
// read it.
bool ServesRequests(const Dictionaries& dictionaries, MethodId method);

struct RequestWorkRules {
  // A method is attributed to a route if it was seen at least this often below any route, and this
  // share of that below this one.
  uint64_t route_samples = 3;
  double route_part = 0.95;
};

// Of all requests of a route together. nullopt: not recorded.
struct RequestTimes {
  uint64_t total_ns = 0;
  uint64_t database_ns = 0;  // at least one command in progress
  uint64_t calls_ns = 0;     // at least one call in progress, and no command
  std::optional<uint64_t> cpu_ns, lock_ns;
  std::optional<uint64_t> pause_ns;  // for collections, excluding those during commands and calls
  uint64_t unknown_ns = 0;           // the rest; 0 if the others exceed the total
};

struct RequestWorkRow {
  const RequestRoute* route = nullptr;  // of the model
  uint64_t p50_ns = 0, p95_ns = 0, p99_ns = 0, slowest_ns = 0;
  RequestTimes times;
  uint64_t cpu_samples = 0;  // from which times.cpu_ns is computed

  uint64_t mean_ns() const { return route->count == 0 ? 0 : route->total_ns / route->count; }
};

struct RequestPartRow {
  const RequestPartGroup* group = nullptr;  // of the model
  std::string route;                        // empty: none matched, or outside of requests
  Place place;                              // where most of them come from
  std::string place_name;                   // empty: unknown
  double per_request = 0;                   // in requests that made any
  uint64_t most_per_request = 0;
  uint64_t often_per_request = 0;  // one request in ten made at least this many

  bool is_outside() const { return group->route == RequestPartGroup::kOutside; }
  uint64_t mean_ns() const { return group->count == 0 ? 0 : group->total_ns / group->count; }
  // Between the end of one and the beginning of the next.
  uint64_t mean_idle_ns() const { return group->gaps == 0 ? 0 : group->idle_ns / group->gaps; }
  // Whether none began before the previous one of its request had ended: then calls and gaps fill
  // the time from the first to the last.
  bool AreInTurn() const {
    constexpr double kOverlap = 1.05;  // clocks and the order of events
    return per_request >= 2 && static_cast<double>(group->total_ns + group->idle_ns) <=
                                   kOverlap * static_cast<double>(group->stretch_ns);
  }
  // As a share of the time of requests that made any: from the beginning of the first to the end of
  // the last.
  double stretch() const {
    return group->requests_ns == 0
               ? 0
               : static_cast<double>(group->stretch_ns) / static_cast<double>(group->requests_ns);
  }
};

struct RequestWork {
  std::vector<RequestWorkRow> routes;           // most time first
  std::vector<RequestPartRow> commands, calls;  // likewise

  uint64_t total_ns() const;  // of all routes
};

RequestWork AnalyzeRequestWork(const Model& model, const RequestWorkRules& rules = {});

}  // namespace hindsight::analyzer
