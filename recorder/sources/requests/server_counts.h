// What ASP.NET Core itself counts of its requests: those that it has answered with a status of 500
// or more, and those that are in flight.
//
// Its event source does so in fields while anybody listens, for its counters failed-requests and
// current-requests (dotnet/aspnetcore, src/Hosting/Hosting/src/Internal/HostingEventSource.cs and
// HostingApplicationDiagnostics.cs, the same in .NET 8 to 10). No event reports the former; and an
// event reports the end of each request that began while anybody listened, be it another tool or
// an earlier recording. Subscribing to counters would start a managed thread in the application, so
// the fields are read instead: the profiling API gives the address of the static field that holds
// the event source, and the offsets of the counts. Source `requests`, drain thread.
#pragma once

#include <cstdint>
#include <optional>

#include "recorder/clr/info.h"
#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

// Since somebody began to listen, which may have been long before the recording.
struct ServerCount {
  uint64_t started = 0, in_flight = 0;
  uint64_t errors = 0;  // answered with a status of 500 or more
};

class ServerCounts {
 public:
  // Borrows both.
  ServerCounts(clr::ICorProfilerInfo10* info, RuntimeMetadata& names)
      : info_(info), names_(names) {}

  // nullopt: a collection is moving the event source, or this server has no such fields. Looking
  // for them takes about a millisecond: each time, they are looked for after twice the time.
  //
  // Only while unloads are reported, on which the Hold relies: once the server's events arrive, and
  // not during an attach.
  std::optional<ServerCount> Read(uint64_t now_ns);

 private:
  struct Source {
    uintptr_t slot = 0;     // the static field that refers to the event source
    clr::ClassID type = 0;  // of the event source
    uint32_t started = 0, in_flight = 0, errors = 0;  // offsets of the counts in it
  };

  std::optional<Source> Find();
  std::optional<Source> FindIn(const CodeGate::Hold& hold, clr::ModuleID module);

  clr::ICorProfilerInfo10* const info_;
  RuntimeMetadata& names_;
  std::optional<Source> source_;
  uint64_t look_at_ns_ = 0, look_after_ns_ = 500'000'000;
};

}  // namespace hindsight::recorder
