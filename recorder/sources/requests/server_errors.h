// How many requests ASP.NET Core has answered with a status of 500 or more.
//
// Its event source counts them in a field while anybody listens, for its counter failed-requests
// (dotnet/aspnetcore, src/Hosting/Hosting/src/Internal/HostingEventSource.cs and
// HostingApplicationDiagnostics.cs, the same in .NET 8 to 10); no event reports them. Subscribing
// to counters would start a managed thread in the application, so the field is read instead: the
// profiling API gives the address of the static field that holds the event source, and the offset
// of the count. Source `requests`, drain thread.
#pragma once

#include <cstdint>
#include <optional>

#include "recorder/clr/info.h"
#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

class ServerErrors {
 public:
  // Borrows both.
  ServerErrors(clr::ICorProfilerInfo10* info, RuntimeMetadata& names)
      : info_(info), names_(names) {}

  // Since somebody began to listen, which may have been long before the recording. nullopt: a
  // collection is moving the event source, or this server has no such field. Looking for it takes
  // about a millisecond: each time, it is looked for after twice the time.
  //
  // Only while unloads are reported, on which the Hold relies: once the server's events arrive, and
  // not during an attach.
  std::optional<uint64_t> Read(uint64_t now_ns);

 private:
  struct Counter {
    uintptr_t source_slot = 0;  // the static field that refers to the event source
    clr::ClassID type = 0;      // of the event source
    uint32_t offset = 0;        // of the count, in the event source
  };

  std::optional<Counter> Find();
  std::optional<Counter> FindIn(const CodeGate::Hold& hold, clr::ModuleID module);

  clr::ICorProfilerInfo10* const info_;
  RuntimeMetadata& names_;
  std::optional<Counter> counter_;
  uint64_t look_at_ns_ = 0, look_after_ns_ = 500'000'000;
};

}  // namespace hindsight::recorder
