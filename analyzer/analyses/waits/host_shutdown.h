// A host (Microsoft.Extensions.Hosting 8 to 10) that is being stopped, and what it waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyzer/analyses/waits/task_graph.h"

namespace hindsight::analyzer {

struct HostShutdown {
  uint32_t snapshot = 0;  // that shows it
  std::string service;    // that has not stopped: its type, or else its method; empty: unknown
  std::string awaits;     // what that awaits; empty: it runs
  std::string place;      // where, below the ExecuteAsync of a BackgroundService; empty: unknown
  std::string holder;     // what holds it, as a path; empty: unknown
  uint64_t lasts_ns = 0;  // it already did in an earlier snapshot, so long before; 0: not known
};

// The service that Host.StopAsync awaits, if it awaits this chain, given from the innermost method
// outwards; empty if it does, but the service is unknown.
std::optional<std::string> StoppedService(const HeapModel& model, const TaskGraph& tasks,
                                          std::span<const ObjectId> chain);

// Whether it is the web server, which waits for requests and connections.
bool IsWebServer(const HostShutdown& shutdown);

}  // namespace hindsight::analyzer
