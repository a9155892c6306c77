// What single requests did, by route: the commands and calls that they made, and what their time
// consisted of, as far as that was seen.
//
// Commands, calls and collections are exact. CPU time and waits for locks are of threads, and a
// thread serves one request after another. They are a route's if they are on the stack of a
// server that has found this route on this thread, and the request goes on; or else if the stack
// has a method of yours that was seen below this route alone in that way (an async method that goes
// on after an await has nothing of the server on its stack). CPU time in a database command is that
// command's. What is reported by neither is unknown: waits for a
// processor, for the pool, for tasks, for other I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/places/places.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct RequestWorkRules {
  // A method is a route's if it was seen so often below any, and this part of that below this one.
  uint64_t route_samples = 3;
  double route_part = 0.95;
};

// Of all requests of a route together. Nothing: that was not recorded.
struct RequestTimes {
  uint64_t total_ns = 0;
  uint64_t database_ns = 0;  // at least one command under way
  uint64_t calls_ns = 0;     // at least one call under way, and no command
  std::optional<uint64_t> cpu_ns, lock_ns;
  std::optional<uint64_t> pause_ns;  // for collections, without those during commands and calls
  uint64_t unknown_ns = 0;           // the rest; 0 if the others are more than all
};

struct RequestWorkRow {
  const RequestRoute* route = nullptr;  // of the model
  uint64_t p50_ns = 0, p95_ns = 0, p99_ns = 0, slowest_ns = 0;
  RequestTimes times;
  uint64_t cpu_samples = 0;  // that times.cpu_ns comes from

  uint64_t mean_ns() const { return route->count == 0 ? 0 : route->total_ns / route->count; }
};

struct RequestPartRow {
  const RequestPartGroup* group = nullptr;  // of the model
  std::string route;                        // empty: none matched, or in no request
  Place place;                              // that most of them come from
  std::string place_name;                   // empty: not known
  double per_request = 0;                   // of those requests that made any
  uint64_t most_per_request = 0;
  uint64_t often_per_request = 0;  // in one of ten as many or more

  bool is_outside() const { return group->route == RequestPartGroup::kOutside; }
  uint64_t mean_ns() const { return group->count == 0 ? 0 : group->total_ns / group->count; }
  // Between one's end and the next one's begin.
  uint64_t mean_idle_ns() const { return group->gaps == 0 ? 0 : group->idle_ns / group->gaps; }
  // Of the time of requests that made any: from the first one's begin to the last one's end.
  double stretch() const {
    return group->requests_ns == 0
               ? 0
               : static_cast<double>(group->stretch_ns) / static_cast<double>(group->requests_ns);
  }
};

struct RequestWork {
  std::vector<RequestWorkRow> routes;           // most time first
  std::vector<RequestPartRow> commands, calls;  // likewise
};

RequestWork AnalyzeRequestWork(const Model& model, const RequestWorkRules& rules = {});

}  // namespace hindsight::analyzer
