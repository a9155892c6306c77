// Source `requests`, on the application's threads: requests served by ASP.NET Core, counted from
// the events of its event source.
//
// An event says that a request starts or ends, on the thread where it does, and whether its
// exception reached the server. Nothing says which end belongs to which start: EventPipe passes an
// activity id on only if every await in the process carries one (the keyword TasksFlowActivityIds
// of TplEventSource), which costs the application far more than this. So there are no durations of
// single requests. But the total time of all requests is exactly the sum of the end times minus the
// sum of the start times.
//
// Ends of requests that started before the session are not reported: ASP.NET Core checks once, at
// the start. An exception that middleware turns into a response is not a failure here.
#pragma once

#include <cstdint>

#include "recorder/sources/events/event_sink.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class RequestEvents final : public EventSink {
 public:
  // dotnet/aspnetcore, src/Hosting/Hosting/src/Internal/HostingEventSource.cs, the same in .NET 8
  // to 10. Its events have no keywords, so any will do. Level informational: below it, there are
  // only failures.
  static constexpr uint64_t kKeywords = 1;

  explicit RequestEvents(Emitter& emitter) : emitter_(emitter) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  enum : uint32_t { kRequestStart = 3, kRequestStop = 4, kUnhandledException = 5 };

  Emitter& emitter_;
};

}  // namespace hindsight::recorder
