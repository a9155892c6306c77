// What single requests did: from their packets to the model, and to which request a thread's time
// belongs.
#include "analyzer/analyses/request_work.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

using testing::ModelOf;

constexpr uint64_t kMsNs = 1'000'000;

// Stack 1 is the server, 2 a handler's Handle and 3 a command in it; 4 and 5 are Handle and Other
// without a server below.
std::string LibraryRecording(const std::string& packets) {
  return R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 application: "Shop" source: "cpu"
             source: "gc" source: "requests" options: "requests.details=on" } }
    packet { string { id: 1 value: "GET /a" } }
    packet { string { id: 2 value: "GET /b" } }
    packet { string { id: 3 value: "SELECT 1f2e3d4c" } }
    packet { string { id: 4 value: "bank:443" } }
    packet { string { id: 10 value: "/app/Shop.dll" } }
    packet { string { id: 11 value: "Shop" } }
    packet { string { id: 12 value: "Shop.Routes" } }
    packet { string { id: 13 value: "Handle" } }
    packet { string { id: 14 value: "Other" } }
    packet { string { id: 15 value: "/usr/Microsoft.AspNetCore.Server.Kestrel.Core.dll" } }
    packet { string { id: 16 value: "Microsoft.AspNetCore.Server.Kestrel.Core" } }
    packet { string { id: 17 value: "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol" } }
    packet { string { id: 18 value: "ProcessRequests" } }
    packet { string { id: 19 value: "Npgsql.NpgsqlCommand" } }
    packet { string { id: 20 value: "ExecuteReader" } }
    packet { module { id: 1 path: 10 assembly: 11 } }
    packet { module { id: 2 path: 15 assembly: 16 } }
    packet { type { id: 1 name: 12 module: 1 } }
    packet { type { id: 2 name: 17 module: 2 } }
    packet { type { id: 3 name: 19 module: 2 } }
    packet { method { id: 1 name: 18 type: 2 module: 2 } }
    packet { method { id: 2 name: 13 type: 1 module: 1 } }
    packet { method { id: 3 name: 14 type: 1 module: 1 } }
    packet { method { id: 4 name: 20 type: 3 module: 2 } }
    packet { frame { id: 1 method: 1 } }
    packet { frame { id: 2 method: 2 } }
    packet { frame { id: 3 method: 3 } }
    packet { frame { id: 4 method: 4 } }
    packet { stack { id: 1 frame: 1 } }
    packet { stack { id: 2 parent: 1 frame: 2 } }
    packet { stack { id: 3 parent: 2 frame: 4 } }
    packet { stack { id: 4 frame: 2 } }
    packet { stack { id: 5 frame: 3 } }
    packet { thread { id: 1 os_id: 11 } }
    packet { thread { id: 2 os_id: 12 } }
    packet { outside_calls { listening: true } }
  )" + packets;
}

TEST(RequestDetails, AreSummedUpByRouteAndKind) {
  const auto model = ModelOf(LibraryRecording(R"(
    packet { time_delta_ns: 100000000 served_request { route: 1 status: 200 duration_ns: 50000000
      part { kind: COMMAND what: 3 stack: 2 start_us: 1000 start_us: 3000
             length_us: 2000 length_us: 2000 }
      part { kind: COMMAND what: 3 stack: 4 start_us: 7000 length_us: 1000 failed: 1 }
      part { kind: CALL what: 4 start_us: 5000 length_us: 10000 } } }
    packet { time_delta_ns: 100000000 served_request { route: 1 status: 503 duration_ns: 10000000 } }
    packet { outside_calls { part { kind: COMMAND what: 3 more_count: 2 more_ns: 5000000 } } })"));
  const RequestDetails& details = model->requests.details;
  EXPECT_TRUE(model->facts.request_details_on);
  EXPECT_EQ(details.from_ns, 0);
  EXPECT_EQ(details.count, 2u);
  ASSERT_EQ(details.routes.size(), 1u);
  const RequestRoute& route = details.routes[0];
  EXPECT_EQ(route.name, "GET /a");
  EXPECT_EQ(route.failed, 1u);
  EXPECT_EQ(route.total_ns, 60 * kMsNs);
  EXPECT_EQ(route.commands, 3u);
  EXPECT_EQ(route.calls, 1u);
  EXPECT_EQ(route.database_ns, 5 * kMsNs);
  // From 5 to 15 ms, but for the commands at 5 and 7 ms.
  EXPECT_EQ(route.calls_ns, 8 * kMsNs);
  ASSERT_EQ(details.parts.size(), 3u);
  const RequestPartGroup& commands = details.parts[0];
  EXPECT_EQ(commands.count, 3u);
  EXPECT_EQ(commands.failed, 1u);
  EXPECT_EQ(commands.requests, 1u);
  EXPECT_EQ(commands.per_request.max(), 3u);
  EXPECT_EQ(commands.gaps, 2u);
  EXPECT_EQ(commands.idle_ns, 2 * kMsNs);
  EXPECT_EQ(commands.stretch_ns, 7 * kMsNs);
  const RequestPartGroup& outside = details.parts[2];
  EXPECT_EQ(outside.route, RequestPartGroup::kOutside);
  EXPECT_EQ(outside.count, 2u);
  EXPECT_EQ(outside.total_ns, 5 * kMsNs);
  ASSERT_EQ(details.slowest.size(), 2u);
  EXPECT_EQ(details.slowest[0].duration_ns, 50 * kMsNs);
  EXPECT_EQ(details.slowest[0].at_ns, 50'000'000);

  const RequestWork work = AnalyzeRequestWork(*model);
  ASSERT_EQ(work.commands.size(), 2u);
  EXPECT_EQ(work.commands[0].per_request, 3);
  EXPECT_EQ(work.commands[0].place_name, "Shop.Routes.Handle");
}

// Commands of one request at the same time are counted once.
TEST(RequestDetails, WhatOverlapsIsCountedOnce) {
  const auto model = ModelOf(LibraryRecording(R"(
    packet { time_delta_ns: 100000000 served_request { route: 1 duration_ns: 10000000
      part { kind: COMMAND what: 3 start_us: 1000 start_us: 1000 start_us: 7000
             length_us: 4000 length_us: 4000 length_us: 5000 } } })"));
  // 1 to 6 ms, and from 9 ms to the request's end.
  EXPECT_EQ(model->requests.details.routes[0].database_ns, 6 * kMsNs);
}

const RequestTimes& TimesOf(const RequestWork& work, const std::string& route) {
  for (const RequestWorkRow& row : work.routes) {
    if (row.route->name == route) return row.times;
  }
  throw std::runtime_error("no " + route);
}

TEST(RequestWork, AThreadsTimeIsOfTheRequestThatItServes) {
  // /a on thread 1 from 10 to 60 ms, matched at 11; /b there from 60 to 100 ms.
  const auto model = ModelOf(LibraryRecording(R"(
    packet { time_delta_ns: 15000000 cpu_samples { period_ns: 1000000
      time_delta_us: 0 time_delta_us: 10000 time_delta_us: 10000 time_delta_us: 10000
      time_delta_us: 30000 time_delta_us: 1000 time_delta_us: 1000
      thread: 1 thread: 1 thread: 1 thread: 1 thread: 1 thread: 2 thread: 2
      stack: 2 stack: 2 stack: 2 stack: 3 stack: 1 stack: 4 stack: 5 } }
    packet { time_delta_ns: 45000000 served_request { route: 1 duration_ns: 50000000 thread: 1
             matched_ns: 1000000 } }
    packet { time_delta_ns: 40000000 served_request { route: 2 duration_ns: 40000000 thread: 1
             matched_ns: 1000000 } })"));
  const RequestWork work = AnalyzeRequestWork(*model);
  // Three in the handler, and one of the same method on a thread without a server; not the one in
  // a command.
  EXPECT_EQ(TimesOf(work, "GET /a").cpu_ns, 4 * kMsNs);
  EXPECT_EQ(TimesOf(work, "GET /b").cpu_ns, 1 * kMsNs);
  EXPECT_EQ(TimesOf(work, "GET /b").unknown_ns, 39 * kMsNs);
  EXPECT_EQ(TimesOf(work, "GET /a").lock_ns, std::nullopt);  // not recorded
}

TEST(RequestWork, AMethodOfSeveralRoutesReportsNone) {
  const std::string samples = R"(
    packet { time_delta_ns: 15000000 cpu_samples { period_ns: 1000000
      time_delta_us: 0 time_delta_us: 10000 time_delta_us: 10000 time_delta_us: 30000 time_delta_us: 1000
      thread: 1 thread: 1 thread: 1 thread: 1 thread: 2
      stack: 2 stack: 2 stack: 2 stack: 2 stack: 4 } })";
  const auto model = ModelOf(LibraryRecording(samples + R"(
    packet { time_delta_ns: 45000000 served_request { route: 1 duration_ns: 50000000 thread: 1
             matched_ns: 1000000 } }
    packet { time_delta_ns: 40000000 served_request { route: 2 duration_ns: 40000000 thread: 1
             matched_ns: 1000000 } })"));
  const RequestWork work = AnalyzeRequestWork(*model);
  EXPECT_EQ(TimesOf(work, "GET /a").cpu_ns, 3 * kMsNs);
  EXPECT_EQ(TimesOf(work, "GET /b").cpu_ns, 1 * kMsNs);
  // Unless nearly all of it is below one of them.
  RequestWorkRules rules;
  rules.route_part = 0.75;
  EXPECT_EQ(TimesOf(AnalyzeRequestWork(*model, rules), "GET /a").cpu_ns, 4 * kMsNs);
  rules.route_samples = 5;
  EXPECT_EQ(TimesOf(AnalyzeRequestWork(*model, rules), "GET /a").cpu_ns, 3 * kMsNs);
}

TEST(RequestWork, APauseIsOfTheRequestsThatItStopped) {
  const auto model = ModelOf(LibraryRecording(R"(
    packet { time_delta_ns: 20000000 suspension { reason: 1 total_ns: 8000000 } }
    packet { time_delta_ns: 40000000 served_request { route: 1 duration_ns: 50000000 } }
    packet { served_request { route: 2 duration_ns: 40000000
      part { kind: COMMAND what: 3 start_us: 0 length_us: 10000 } } }
    packet { time_delta_ns: 40000000 served_request { duration_ns: 1000000 } })"));
  const RequestWork work = AnalyzeRequestWork(*model);
  EXPECT_EQ(TimesOf(work, "GET /a").pause_ns, 8 * kMsNs);
  EXPECT_EQ(TimesOf(work, "GET /a").unknown_ns, 42 * kMsNs);
  // A quarter of its time was in a command.
  EXPECT_EQ(TimesOf(work, "GET /b").pause_ns, 6 * kMsNs);
  EXPECT_EQ(TimesOf(work, "").pause_ns, 0u);
}

}  // namespace
}  // namespace hindsight::analyzer
