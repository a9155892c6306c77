// Source `requests`, on the application's threads: requests that ASP.NET Core serves, counted where
// its event source tells of them.
//
// Events say when a request begins and ends, on the thread where it does, and whether its
// exception reached the server. Nothing in them says which end belongs to which beginning:
// EventPipe hands on an activity only while every await in the process carries one (the keyword
// TasksFlowActivityIds of TplEventSource), which costs the application far more than this. So there
// is no duration of a single request; but the time that all of them took together is the sum of the
// ends less the sum of the beginnings, exactly.
//
// A request that began before the server was listened to has no end: ASP.NET Core asks once, at the
// beginning. An exception that middleware turns into an answer is no failure here.
#pragma once

#include <cstdint>

#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class Requests {
 public:
  // dotnet/aspnetcore, src/Hosting/Hosting/src/Internal/HostingEventSource.cs, the same in .NET 8
  // to 10. Its events have no keywords, so any will do. Informational: below, only failures come.
  static constexpr char16_t kProvider[] = u"Microsoft.AspNetCore.Hosting";
  static constexpr uint64_t kKeywords = 1;

  explicit Requests(Emitter& emitter) : emitter_(emitter) {}

  void Delivered(uint32_t event);

 private:
  enum : uint32_t { kRequestStart = 3, kRequestStop = 4, kUnhandledException = 5 };

  Emitter& emitter_;
};

}  // namespace hindsight::recorder
