// What is found in the events of a recording, and from where on.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/model/runtime_work.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;
constexpr int64_t kSecond = 1'000'000'000;

class OverviewOfEvents : public ::testing::Test {
 protected:
  OverviewOfEvents() {
    RecordingFacts& facts = model().facts;
    facts.last_ns = 10 * kSecond;
    facts.locks_on = facts.waits_on = facts.gc_on = true;
  }

  Model& model() { return scene_.model(); }

  Overview Find() {
    reports_ = MakeReports(std::make_unique<EventReports>(model()), nullptr);
    return FindAll(reports_);
  }
  static const Coverage& Of(const Overview& overview, Signal signal) {
    return overview.coverage.at(static_cast<size_t>(signal));
  }

  // Outermost first.
  StackId Stack(const std::vector<std::string>& methods) {
    StackId stack = 0;
    for (const std::string& method : methods) {
      stack = model().dictionaries.AddStack(stack, scene_.Method(method));
    }
    return stack;
  }
  TypeId Type(std::string_view name) {
    hindsight::analyzer::Type type;
    type.name = model().dictionaries.AddString(name);
    return model().dictionaries.AddType(type);
  }
  ExceptionGroup& Exceptions(std::string_view type, uint64_t count, uint64_t each_ns,
                             Ending ending = Ending::kSwallowed) {
    ExceptionGroup group;
    group.type = Type(type);
    group.stack = Stack({"Shop.Program.Main", "Shop.Cart.Load" + std::string(type)});
    group.count = group.throws[0] = count;
    group.total_ns = count * each_ns;
    group.endings[static_cast<size_t>(ending)] = count;
    model().exceptions.throws += count;
    model().exceptions.groups.push_back(std::move(group));
    return model().exceptions.groups.back();
  }
  // Requests that end with exceptions of a type, which `method` catches last.
  static constexpr char kMiddleware[] =
      "Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddlewareImpl+<Invoke>d__1.MoveNext";
  static constexpr char kServer[] =
      "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol.ProcessRequests";
  void EndRequests(const char* type, uint64_t count, const char* method) {
    ExceptionGroup& group = Exceptions(type, count, 1000);
    Handler handler;
    handler.method = scene_.Method(method);
    group.swallowers.Add(model().dictionaries.AddHandler(handler), count);
  }
  // Exceptions that end in the task of an async method, which nobody awaits.
  void LeaveInTasks(const char* type, uint64_t count) {
    ExceptionGroup& group = Exceptions(type, count, 1000);
    Handler handler;
    handler.method = scene_.Method("Shop.Cart+<Load>d__1.MoveNext");
    handler.il_offset = 40;
    const HandlerId id = model().dictionaries.AddHandler(handler);
    group.swallowers.Add(id, count);
    model().exceptions.restored_from.resize(size_t{id} + 1);
    model().exceptions.restored_from[id] = 1;  // another time, somebody did
  }
  void Served(const char* tags, uint64_t count) {
    RequestKind& kind = model().requests.kinds.emplace_back();
    kind.tags = tags;
    kind.count = count;
    kind.total_ns = count * 1000;
  }
  void Pause(int64_t at_ns, uint64_t total_ns) {
    model().collections.pauses.push_back({.at_ns = at_ns, .total_ns = total_ns, .reason = 1});
    CollectionRow row;
    row.at_ns = at_ns;
    row.duration_ns = total_ns;
    row.type = CollectionType::kBlocking;
    model().collections.rows.push_back(row);
  }
  void LockWaits(uint64_t count, uint64_t total_ns, uint64_t longest_ns) {
    model().waits.groups.push_back(
        {.kind = WaitKind::kMonitor,
         .stack = Stack({"Shop.Cart.Add", "System.Threading.Monitor.Enter"}),
         .count = count,
         .total_ns = total_ns,
         .longest_ns = longest_ns});
  }

  testing::ProfileScene scene_;
  Reports reports_;
};

// What ended the process may be among what was not written any more.
TEST_F(OverviewOfEvents, ARecordingThatEndsAbruptlyClearsNoExceptions) {
  model().facts.exceptions_on = true;
  for (const bool has_some : {false, true}) {
    if (has_some) Exceptions("Shop.Odd", 1, 10);
    model().facts.end = EndReason::kProcessExit;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state,
              has_some ? State::kHealthy : State::kNothingThere);
    model().facts.end = EndReason::kBrokeOff;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state, State::kPartly);
  }
}

TEST_F(OverviewOfEvents, AnIdleProcessIsHealthyAndEverythingIsAccountedFor) {
  const Overview overview = Find();
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_TRUE(overview.findings.empty());
  ASSERT_EQ(overview.coverage.size(), kSignals);
  for (size_t i = 0; i < kSignals; ++i) {
    EXPECT_EQ(overview.coverage[i].signal, static_cast<Signal>(i));
    EXPECT_NE(overview.coverage[i].state, State::kFound);
    EXPECT_NE(overview.coverage[i].looked_at + overview.coverage[i].note, "");
  }
  EXPECT_EQ(Of(overview, Signal::kExceptions).state, State::kNothingThere);
  EXPECT_EQ(Of(overview, Signal::kHeap).state, State::kNotRecorded);
  EXPECT_EQ(Of(overview, Signal::kTasks).state, State::kNotRecorded);
  EXPECT_EQ(Of(overview, Signal::kDeadlocks).state, State::kPartly);
}

TEST_F(OverviewOfEvents, ASnapshotCanBeTakenWhileTheProcessLives) {
  const auto note = [this] { return Of(Find(), Signal::kHeap).note; };
  EXPECT_EQ(note().find("hindsight-trigger"), std::string::npos);
  model().facts.end = EndReason::kStopped;
  EXPECT_NE(note().find("`hindsight-trigger snapshot 4242`"), std::string::npos);
}

TEST_F(OverviewOfEvents, ASourceThatWasOffIsNamed) {
  RecordingFacts& facts = model().facts;
  facts.exceptions_on = facts.cpu_on = facts.allocations_on = facts.gc_on = false;
  facts.locks_on = facts.waits_on = false;
  const Overview overview = Find();
  const auto source = [&](Signal signal, const char* name) {
    EXPECT_EQ(Of(overview, signal).state, State::kNotRecorded) << name;
    EXPECT_NE(Of(overview, signal).note.find(std::string("sources=") + name), std::string::npos);
  };
  source(Signal::kExceptions, "exceptions");
  source(Signal::kCpu, "cpu");
  source(Signal::kAllocations, "allocations");
  source(Signal::kLocks, "locks");
  source(Signal::kPool, "locks,waits");
  source(Signal::kDeadlocks, "locks,waits");
  source(Signal::kPauses, "gc");
}

// They were on: what helps is to begin sooner.
TEST_F(OverviewOfEvents, OfAProcessThatEndedInItsStartSourcesWereNotOff) {
  RecordingFacts& facts = model().facts;
  facts.ended_in_start = true;
  facts.allocations_on = facts.locks_on = false;
  facts.sources = {"locks"};
  const Overview overview = Find();
  for (const Signal signal : {Signal::kPool, Signal::kLocks}) {
    EXPECT_EQ(Of(overview, signal).state, State::kNotRecorded);
    EXPECT_EQ(Of(overview, signal).note,
              "The process ended too soon; `events.from=start` records its start.");
  }
  EXPECT_EQ(Of(overview, Signal::kAllocations).note, "Record with `sources=allocations`.");
}

TEST_F(OverviewOfEvents, WhateverLosesEventsLeavesNoAllClear) {
  model().facts.exceptions_on = true;
  Losses& losses = model().losses;
  for (const bool has_some : {false, true}) {
    if (has_some) Exceptions("Shop.Lost", 3, 1000);
    const State before = Of(Find(), Signal::kExceptions).state;
    EXPECT_EQ(before, has_some ? State::kHealthy : State::kNothingThere);
    for (uint64_t* loss : {&losses.ring_full, &losses.memory_cap, &losses.disk_error,
                           &losses.segments, &losses.damaged_bytes, &losses.refused}) {
      *loss = 1;
      const Coverage coverage = Of(Find(), Signal::kExceptions);
      EXPECT_EQ(coverage.state, State::kPartly);
      EXPECT_NE(coverage.note.find("events were lost"), std::string::npos) << coverage.note;
      *loss = 0;
    }
    // Those are here.
    losses.stacks_missing = 1;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state, before);
    losses.stacks_missing = 0;
  }
}

TEST_F(OverviewOfEvents, AnUnhandledExceptionComesFirst) {
  Exceptions("Shop.Often", 10'000, 100'000);
  Exceptions("Shop.Fatal", 1, 1000, Ending::kUnhandled);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[0].kind, "unhandled");
  EXPECT_EQ(overview.findings[0].severity, Severity::kCritical);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Fatal");
  EXPECT_EQ(overview.findings[0].command, "exceptions --type Shop.Fatal");
  EXPECT_EQ(overview.findings[1].kind, "storm");
  EXPECT_EQ(Of(overview, Signal::kExceptions).state, State::kFound);
}

// However deep it is: each of these wraps the one before.
TEST_F(OverviewOfEvents, TheRootCauseOfAnUnhandledExceptionIsTold) {
  constexpr GroupId kDeep = 20;
  for (GroupId i = 1; i <= kDeep; ++i) {
    Exceptions("Shop.Level" + std::to_string(i), 1, 1000,
               i == kDeep ? Ending::kUnhandled : Ending::kWrapped);
    if (i > 1) model().exceptions.groups.back().causes.Add(i - 1);
  }
  const auto evidence = [this] { return Find().findings.at(0).evidence; };
  EXPECT_NE(evidence().find(" Caused by Shop.Level1, thrown in"), std::string::npos) << evidence();
  // One that also wraps its own kind is among its own causes.
  model().exceptions.groups[kDeep / 2 - 1].causes.Add(kDeep / 2);
  EXPECT_NE(evidence().find(" Caused by Shop.Level1, thrown in"), std::string::npos) << evidence();
  // Which of two it was is not known.
  Exceptions("Shop.Other", 1, 1000, Ending::kWrapped);
  model().exceptions.groups[4].causes.Add(kDeep + 1);
  EXPECT_NE(evidence().find(" Caused by Shop.Level5, thrown in"), std::string::npos) << evidence();
  EXPECT_NE(evidence().find(" That was caused by 2 different exceptions, so which began it is not "
                            "known."),
            std::string::npos)
      << evidence();
}

TEST_F(OverviewOfEvents, AStormIsFrequentAndTakesTime) {
  const OverviewRules rules;
  ExceptionGroup& group = Exceptions("Shop.Often", 100, 1'000'000);  // 10 a second, 1 %
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].severity, Severity::kWarning);
  group.count = rules.storm_count - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.count = 100;
  group.total_ns = 99'000'000;
  EXPECT_TRUE(Find().is_healthy());
}

// A failure that is wrapped on its way is one storm.
TEST_F(OverviewOfEvents, WhatAnotherStormWrapsIsToldThere) {
  Exceptions("Shop.Refused", 90, 2'000'000, Ending::kWrapped);
  ExceptionGroup& refused = model().exceptions.groups.back();
  refused.count = refused.throws[0] = 100;
  refused.endings[static_cast<size_t>(Ending::kSwallowed)] = 10;
  Exceptions("Shop.NoAnswer", 100, 2'000'000);
  model().exceptions.groups.back().causes.Add(1, 90);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.NoAnswer");
  EXPECT_NE(overview.findings[0].evidence.find(" Caused by Shop.Refused, thrown "),
            std::string::npos)
      << overview.findings[0].evidence;
  model().exceptions.groups[0].endings[static_cast<size_t>(Ending::kWrapped)] = 89;
  EXPECT_EQ(Find().findings.size(), 2u);
}

TEST_F(OverviewOfEvents, AnExceptionWithManyRequestsIsAStormHoweverCheap) {
  Exceptions("Shop.Often", 100, 1000);
  Exceptions("Shop.Seldom", 26, 1000);
  model().requests.finished = 401;
  EXPECT_TRUE(Find().findings.empty());  // 0.249 for each, and 79 % of all exceptions
  model().requests.finished = 400;
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "storm");
  EXPECT_NE(overview.findings[0].title.find("0.2 per request"), std::string::npos);
  EXPECT_NE(overview.findings[0].evidence.find("100 of all 126 exceptions"), std::string::npos);
}

// A server's own, as connections end.
TEST_F(OverviewOfEvents, ExceptionsOfTheFrameworksWithManyRequestsAreNone) {
  ExceptionGroup& group = Exceptions("System.IO.IOException", 100, 1000);
  group.stack = Stack({"System.Net.WebSockets.ManagedWebSocket.ReceiveAsyncPrivate"});
  Exceptions("Shop.Seldom", 30, 1000);
  model().requests.finished = 200;
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, WhatMostExceptionsAreIsANote) {
  Exceptions("Shop.Often", 80, 1000);
  ExceptionGroup& others = Exceptions("Shop.Seldom", 21, 1000);
  EXPECT_TRUE(Find().findings.empty());
  others.count = 20;
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "dominant-exception");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Often");
  others.count = 19;  // 99 say little
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ExceptionsThatEndRequestsAreToldAsSuchAndNotAsSwallowed) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests, kMiddleware);
  model().requests.finished = 1000;  // 0.5 %
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  const Finding& finding = overview.findings[0];
  EXPECT_EQ(finding.kind, "failed-requests");
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.title,
            "5 requests of 1,000 (0.5 %) ended with Shop.Lost, in Shop.Program.Main");
  EXPECT_NE(finding.evidence.find("The route and the response"), std::string::npos);
  EXPECT_EQ(reports_.events->exceptions.findings[0].swallowed, 0u);
  EXPECT_EQ(reports_.events->exceptions.ended_requests, rules.failed_requests);

  model().requests.finished = 1001;  // so few are a note, 30 a minute
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  model().facts.last_ns = 51 * kSecond;  // or none, less than 6 a minute
  EXPECT_TRUE(Find().findings.empty());
  model().facts.last_ns = 10 * kSecond;
  model().requests.finished = 0;  // how many were served is unknown
  EXPECT_EQ(Find().findings.size(), 1u);
}

// On whose stack an async handler resumes is nobody's business.
TEST_F(OverviewOfEvents, TheHandlerOfARequestIsNotWhatItAwaited) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests, kMiddleware);
  model().requests.finished = 1000;
  const std::string resume =
      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1.MoveNext";
  model().exceptions.groups[0].stack =
      Stack({"Shop.Prices+<Find>d__1.MoveNext", resume, "Shop.Stock+<Ask>d__2.MoveNext"});
  EXPECT_TRUE(Find().findings.at(0).title.ends_with(", in Shop.Stock.Ask"))
      << Find().findings[0].title;
}

// The server's own code throws when the client has ended its connection or its stream.
TEST_F(OverviewOfEvents, AClientThatWentAwayIsNoFailure) {
  const OverviewRules rules;
  EndRequests("System.IO.IOException", rules.failed_requests, kMiddleware);
  model().requests.finished = rules.failed_requests;
  const auto thrown_in = [this](const std::vector<std::string>& methods) {
    model().exceptions.groups[0].stack = Stack(methods);
    return Find().findings.size();
  };
  EXPECT_EQ(thrown_in({"Shop.Program.Main", "System.IO.FileStream.Read"}), 1u);
  const std::string body = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.Body.Read";
  EXPECT_EQ(thrown_in({"Shop.Program.Main", body}), 0u);
  EXPECT_EQ(thrown_in({"Shop.Program.Main", body, "System.IO.Pipelines.Pipe.GetResult"}), 0u);
  EXPECT_EQ(thrown_in({body, "Shop.Program.Main", "System.IO.FileStream.Read"}), 1u);
}

TEST_F(OverviewOfEvents, FailedRequestsAreToldWithTheirRoutesWhereTheseWereRecorded) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests, kMiddleware);
  model().facts.requests_on = model().facts.routes_on = true;
  const auto evidence = [this] { return Find().findings.at(0).evidence; };
  EXPECT_NE(evidence().find("The route and the response are not known."), std::string::npos);
  Served("http.request.method=GET,http.response.status_code=200,http.route=/orders/{id}", 5);
  Served(
      "error.type=Shop.Lost,http.request.method=GET,http.response.status_code=500,"
      "http.route=/orders/{id}",
      3);
  Served("error.type=Shop.Sold,http.request.method=GET,http.response.status_code=500,http.route=/x",
         3);
  Served("error.type=Shop.Lost,http.request.method=POST,http.response.status_code=503", 2);
  EXPECT_NE(evidence().find("Route: GET /orders/{id}, 3 of 8 requests, answered with 500; POST "
                            "without a route, 2 of 2 requests, answered with 503."),
            std::string::npos)
      << evidence();
}

// A hundredth of a percent of all requests, and all of one route's.
TEST_F(OverviewOfEvents, ARouteThatFewAskForMayFailAltogether) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests, kMiddleware);
  model().facts.requests_on = model().facts.routes_on = true;
  model().requests.finished = 100'000;
  Served("http.response.status_code=200,http.route=/all", 99'900);
  Served("http.response.status_code=200,http.route=/orders/{id}", 95);
  Served("error.type=Shop.Lost,http.response.status_code=500,http.route=/orders/{id}", 5);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failed-requests");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  // One more that went well: 4.95 %.
  model().requests.kinds[1].count = 96;
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ARouteThatAnswersWithErrorsIsToldWithoutAnyException) {
  const OverviewRules rules;
  model().facts.requests_on = model().facts.routes_on = true;
  Served("http.request.method=GET,http.response.status_code=200,http.route=/stock", 95);
  Served("http.request.method=GET,http.response.status_code=503,http.route=/stock", 5);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failing-route");
  EXPECT_EQ(overview.findings[0].signal, Signal::kRequests);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].subject, "GET /stock");
  EXPECT_EQ(overview.findings[0].title, "GET /stock fails: 5 of 100 requests (5.0 %)");
  EXPECT_EQ(overview.findings[0].evidence, "They ended with 503.");
  model().requests.kinds[0].count = 96;
  overview = Find();
  EXPECT_TRUE(overview.findings.empty());
  ASSERT_EQ(overview.coverage.size(), kSignals + 1);
  EXPECT_EQ(overview.coverage.back().looked_at, "101 requests of 1 route");
  model().requests.kinds[0].count = 10;
  model().requests.kinds[1].count = rules.failed_requests - 1;
  EXPECT_TRUE(Find().findings.empty());
  // What clients give up is not the route's doing, nor is what they ask in vain.
  model().requests.kinds[1].count = 50;
  model().requests.kinds[1].tags =
      "error.type=System.OperationCanceledException,http.request.method=GET,http.route=/stock";
  EXPECT_TRUE(Find().findings.empty());
  model().requests.kinds[1].tags =
      "http.request.method=GET,http.response.status_code=404,http.route=/stock";
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, WhatAnExceptionTellsIsNotToldOfItsRouteAgain) {
  EndRequests("Shop.Lost", 50, kMiddleware);
  model().facts.requests_on = model().facts.routes_on = true;
  model().requests.finished = 100;
  Served("http.response.status_code=200,http.route=/stock", 50);
  Served("error.type=Shop.Lost,http.response.status_code=500,http.route=/stock", 50);
  ASSERT_EQ(Find().findings.size(), 1u);
  Served("http.response.status_code=503,http.route=/stock", 40);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  const auto route = std::ranges::find(overview.findings, "failing-route", &Finding::kind);
  ASSERT_NE(route, overview.findings.end());
  EXPECT_EQ(route->title, "/stock fails: 40 of 140 requests (28.6 %)");
}

// Of single requests only the status is known, and whether an exception is told that ended some.
TEST_F(OverviewOfEvents, SingleRequestsTellOfRoutesThatFail) {
  model().facts.requests_on = model().facts.request_details_on = true;
  RequestDetails& details = model().requests.details;
  details.count = 100;
  RequestRoute& route = details.routes.emplace_back();
  route.name = "GET /stock";
  route.count = 100;
  route.failed = 30;
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].title, "GET /stock fails: 30 of 100 requests (30.0 %)");
  EndRequests("Shop.Lost", 26, kMiddleware);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failed-requests");
}

TEST_F(OverviewOfEvents, FewRequestsThatEndedWithAnExceptionAreNone) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests - 1, kServer);
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ARequestThatTheClientGaveUpIsNoFailure) {
  EndRequests("System.OperationCanceledException", 50, kServer);
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ManyRareExceptionsAreAStormTogether) {
  for (int i = 0; i < 20; ++i) Exceptions("Shop.Of" + std::to_string(i), 60, 500'000);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "many-exceptions");
}

TEST_F(OverviewOfEvents, LostExceptionsAreANote) {
  Exceptions("Shop.Hidden", 2, 1000, Ending::kReplaced);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_EQ(Of(overview, Signal::kExceptions).state, State::kHealthy);
}

TEST_F(OverviewOfEvents, WorkThatWasCancelledIsNotLost) {
  LeaveInTasks("System.OperationCanceledException", 2);
  LeaveInTasks("System.Threading.Tasks.TaskCanceledException", 2);
  EXPECT_TRUE(Find().findings.empty());
  LeaveInTasks("Shop.Lost", 3);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "never-awaited");
  EXPECT_EQ(overview.findings[0].title, "3 exceptions stayed in tasks that no await threw again");
  // A library reads Task.Exception.
  model().exceptions.groups.back().stack = Stack({"System.Net.Http.ConnectionPool.Connect"});
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, PausesAreJudgedAsTheirAnalysisDoes) {
  Pause(kSecond, 40'000'000);
  EXPECT_TRUE(Find().findings.empty());
  Pause(2 * kSecond, 60'000'000);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);  // 1 % of the time
  EXPECT_EQ(overview.findings[0].kind, "young-collections");
  Pause(3 * kSecond, 100'000'000);
  EXPECT_EQ(Find().findings[0].severity, Severity::kNote);  // 2 %: young ones are no warning
  model().collections.rows.back().generation = 2;
  model().collections.rows.front().generation = 2;
  Pause(4 * kSecond, 100'000'000);
  model().collections.rows.back().generation = 2;
  overview = Find();
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);  // 2.4 % of the time
  EXPECT_EQ(overview.findings[0].kind, "blocking-gen2");
  EXPECT_EQ(overview.findings[0].signal, Signal::kPauses);
}

TEST_F(OverviewOfEvents, ABadPauseIsEnoughIfItIsNotTheOnlyOne) {
  model().facts.last_ns = 1000 * kSecond;
  Pause(kSecond, 200'000'000);
  EXPECT_TRUE(Find().findings.empty());
  Pause(2 * kSecond, 1'000'000);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
}

TEST_F(OverviewOfEvents, WhoAllocatesLargeObjectsIsToldWithWhatTheyCost) {
  for (int i = 1; i <= 20; ++i) {
    Pause(i * kSecond / 4, 50'000'000);
    CollectionRow& row = model().collections.rows.back();
    row.generation = 2;
    row.detailed = true;
    row.type = CollectionType::kBackground;
    row.reason = 4;  // large objects were allocated
  }
  const auto allocate = [this](const char* method, AllocationHeap heap) {
    const CallId call = scene_.Call({"Shop.Program.Main", method});
    for (int i = 0; i < 10; ++i) {
      scene_.Allocate(call, "System.String", 1, 100'000);
      model().samples.allocations.samples.back().heap = heap;
    }
  };
  const auto pauses = [this]() {
    for (const Finding& finding : Find().findings) {
      if (finding.kind == "large-objects") return finding;
    }
    return Finding();
  };
  EXPECT_EQ(pauses().kind, "large-objects");
  EXPECT_EQ(pauses().subject, "");
  allocate("Shop.Small.Make", AllocationHeap::kSmall);
  allocate("Shop.Report.Join", AllocationHeap::kLarge);
  EXPECT_EQ(pauses().subject, "Shop.Report.Join");
  EXPECT_TRUE(pauses().evidence.ends_with(
      "100.0 % of the bytes of large objects are string of Shop.Report.Join."))
      << pauses().evidence;
  // Half of them is most; less is not.
  allocate("Shop.Other.Join", AllocationHeap::kLarge);
  EXPECT_NE(pauses().subject, "");
  allocate("Shop.Third.Join", AllocationHeap::kLarge);
  EXPECT_EQ(pauses().subject, "");
}

TEST_F(OverviewOfEvents, ABusyProgramIsNotIll) {
  const CallId parse = scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"});
  model().facts.last_ns = 100 * kSecond;
  scene_.Cpu(parse, 900);
  Overview overview = Find();
  EXPECT_TRUE(overview.findings.empty());  // 0.09 cores
  scene_.Cpu(parse, 200);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Order.Parse");
  EXPECT_EQ(overview.findings[0].command, "cpu --focus Shop.Order.Parse");
}

TEST_F(OverviewOfEvents, OnePathThatTakesAllProcessorsIsAWarning) {
  model().facts.cpus = 1;
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 850);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  model().facts.cpus = 2;
  overview = Find();
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
}

TEST_F(OverviewOfEvents, WhatTakesTheTimeIsTheInnermostMethodOfTheApplication) {
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse", "Shop.Order.Line"}), 200);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse", "Shop.Order.Head"}), 200);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Mail.Send"}), 200);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Order.Parse");
}

TEST_F(OverviewOfEvents, WhereThreadsBeginIsOnAllPaths) {
  for (const char* method : {"Shop.Order.Line", "Shop.Order.Head", "Shop.Order.Foot"}) {
    scene_.Cpu(scene_.Call({"Shop.Program.Main", method}), 200);
  }
  EXPECT_TRUE(Find().findings.empty());
  scene_.Cpu(scene_.Call({"Shop.Program.Main"}), 300);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Program.Main");
}

TEST_F(OverviewOfEvents, TheCompilersTimeIsNoMethods) {
  const OverviewRules rules;
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 35);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Mail.Send"}), 33);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Log.Write"}), 33);
  EXPECT_TRUE(Find().findings.empty());
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 1);  // 36 of 102
  ASSERT_EQ(Find().findings.size(), 1u);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "libclrjit.so!"}), 100);
  NameRuntimeWork(model());
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Order.Parse");
  EXPECT_NE(overview.findings[0].evidence.find("The JIT compiler took 50"), std::string::npos);
}

TEST_F(OverviewOfEvents, FewSamplesSayLittle) {
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 99);
  EXPECT_EQ(Of(Find(), Signal::kCpu).state, State::kPartly);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 1);
  EXPECT_EQ(Of(Find(), Signal::kCpu).state, State::kHealthy);
}

TEST_F(OverviewOfEvents, AllocationsAreANoteUntilTheyCostPauses) {
  const CallId parse = scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"});
  for (int i = 0; i < 10; ++i) scene_.Allocate(parse, "Shop.Line", 1e5, 60e6);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Line");
  for (int64_t i = 0; i < 10; ++i) Pause(i * kSecond, 30'000'000);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[0].kind, "hot-type");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
}

TEST_F(OverviewOfEvents, ALockWhoseOwnerSleepsIsAWarning) {
  const OverviewRules rules;
  LockWaits(rules.asleep_waits, kSecond / 5, 10'000'000);  // 0.02 threads
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].kind, "hot-lock");
  EXPECT_EQ(Find().findings[0].severity, Severity::kNote);
  WaitGroup& group = model().waits.groups[0];
  group.longest_owner_stack =
      Stack({"Shop.Cart.Add", "Shop.Cart.Fetch", "System.Threading.Thread.Sleep"});
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "held-asleep");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_NE(overview.findings[0].evidence.find(
                "Meanwhile the owner was in Shop.Cart.Fetch, where it sleeps."),
            std::string::npos)
      << overview.findings[0].evidence;
  group.total_ns = kSecond / 5 - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.total_ns = kSecond / 5;
  group.count = rules.asleep_waits + 1;  // a mean of less than hot_lock_mean_ns is a note
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  group.count = rules.asleep_waits - 1;  // fewer are a note, and still fewer say nothing
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  group.count = rules.lock_waits - 1;
  EXPECT_TRUE(Find().findings.empty());
}

// The owner changes too fast for its stack to be asked for: what a thread snapshot shows counts.
TEST_F(OverviewOfEvents, AThreadSnapshotShowsWhatTheOwnerOfALockDoes) {
  LockWaits(100, 5 * kSecond, kSecond / 10);
  model().threads.resize(3);
  ThreadSnapshot look;
  look.number = 1;
  look.threads.push_back(
      {.thread = 1, .stack = model().waits.groups[0].stack, .waits_for = 0xa, .lock_owner = 2});
  look.threads.push_back(
      {.thread = 2,
       .stack = Stack({"Shop.Cart.Add", "Shop.Cart.Fetch", "System.Threading.Thread.Sleep"})});
  model().waits.snapshots = {look};
  EXPECT_EQ(Find().findings.at(0).kind, "held-asleep");
  EXPECT_NE(Find().findings[0].evidence.find("Meanwhile the owner was in Shop.Cart.Fetch"),
            std::string::npos);
  // One that waits for the lock itself did not have it when that began.
  model().waits.snapshots[0].threads[1].stack = model().waits.groups[0].stack;
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
  // Nobody waits there according to the events: another lock.
  model().waits.snapshots = {look};
  model().waits.snapshots[0].threads[0].stack =
      Stack({"Shop.Mail.Send", "System.Threading.Monitor.Enter"});
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
}

TEST_F(OverviewOfEvents, WorkersThatBlockOnTasksAreToldByTheirPlace) {
  const OverviewRules rules;
  model().waits.groups.push_back(
      {.kind = WaitKind::kWaitHandle,
       .stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                       "System.Threading.Tasks.Task.Wait"}),
       .count = rules.blocking_waits,
       .total_ns = kSecond / 2,  // 0.05 workers
       .longest_ns = kSecond / 10});
  WaitGroup& group = model().waits.groups.back();
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "blocking-on-tasks");
  EXPECT_EQ(overview.findings[0].signal, Signal::kPool);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Load");
  group.total_ns = 5 * kSecond / 2;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  group.total_ns = kSecond / 2 - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.total_ns = kSecond / 2;
  group.count = rules.blocking_waits - 1;
  EXPECT_TRUE(Find().findings.empty());
  // A thread of its own may block as long as it likes.
  group.count = rules.blocking_waits;
  group.stack = Stack({"Shop.Cart.Load", "System.Threading.Tasks.Task.Wait"});
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ABusyLockIsANoteAndAConvoyAWarning) {
  LockWaits(41, kSecond / 5, 10'000'000);  // 4.9 ms each
  EXPECT_TRUE(Find().findings.empty());
  model().waits.groups[0].count = 100;
  model().waits.groups[0].total_ns = kSecond;
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Add");
  model().waits.groups[0].total_ns = 40 * kSecond;
  overview = Find();
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].kind, "convoy");
}

// Neither of the two would be worth a word, and no wait is long.
TEST_F(OverviewOfEvents, OneLockThatTwoMethodsWaitForIsOneFinding) {
  constexpr uint64_t kGate = 0x10;
  const auto wait = [this](const char* method, uint64_t lock) {
    const StackId stack = Stack({method, "System.Threading.Monitor.Enter"});
    const uint64_t total_ns = 6 * kSecond;
    model().waits.groups.push_back({.kind = WaitKind::kMonitor,
                                    .stack = stack,
                                    .count = 6,
                                    .total_ns = total_ns,
                                    .longest_ns = kSecond});
    model().waits.lock_stacks.push_back({.lock = lock,
                                         .stack = stack,
                                         .kind = WaitKind::kMonitor,
                                         .count = 6,
                                         .total_ns = total_ns});
  };
  model().waits.locks.push_back(
      {.kind = WaitKind::kMonitor, .lock = kGate, .count = 12, .waiters_at_most = 3});
  wait("Shop.Cart.Add", kGate);
  wait("Shop.Cart.Remove", kGate);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "convoy");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "On average 1.2 threads wait for one lock in Shop.Cart.Add and Shop.Cart.Remove");
  EXPECT_EQ(overview.findings[0].evidence,
            "12 waits, 12.00 s in total, 1.00 s on average, the longest 1.00 s; at most 3 at the "
            "same time.");
  model().waits.lock_stacks[1].lock = 0x20;
  EXPECT_TRUE(Find().findings.empty());
}

// The owner that they wait for has no processor.
TEST_F(OverviewOfEvents, WhereThreadsHaveNoProcessorWaitsForLocksAreANote) {
  LockWaits(100, 40 * kSecond, kSecond);
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 50e9;
  model().waits.ran_ns = 2e9;
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_EQ(overview.findings[0].kind, "no-processor");
  EXPECT_EQ(overview.findings[0].title,
            "Threads wait for a processor: on average 5.0 threads were ready to run, and the "
            "process got 0.2 of 2.0 CPUs");
  EXPECT_EQ(overview.findings[1].kind, "convoy");
}

TEST_F(OverviewOfEvents, AVeryLongWaitIsAWarning) {
  const OverviewRules rules;
  LockWaits(1, rules.long_wait_ns, rules.long_wait_ns);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "long-wait");
}

TEST_F(OverviewOfEvents, AStarvedPoolIsCritical) {
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  ThreadSnapshot snapshot;
  snapshot.at_ns = kSecond;
  ThreadInSnapshot standing;
  standing.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                          "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                          "System.Threading.Tasks.Task.Wait"});
  standing.state = ThreadRunState::kSleeping;
  snapshot.threads = {standing, standing};
  model().waits.snapshots.push_back(std::move(snapshot));
  const Overview overview = Find();
  ASSERT_FALSE(overview.findings.empty());
  EXPECT_EQ(overview.findings[0].severity, Severity::kCritical);
  EXPECT_EQ(overview.findings[0].kind, "starved");
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Load");
}

TEST_F(OverviewOfEvents, FurtherPlacesThatHoldUpAStarvedPoolAreToldEach) {
  const OverviewRules rules;
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  const auto blocked = [&](const std::string& method) {
    ThreadInSnapshot standing;
    standing.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                            "System.Threading.ThreadPoolWorkQueue.Dispatch", method,
                            "System.Threading.Tasks.Task.Wait"});
    standing.state = ThreadRunState::kSleeping;
    return standing;
  };
  ThreadSnapshot snapshot;
  snapshot.at_ns = kSecond;
  for (uint64_t i = 0; i < 9 * rules.blocked_workers; ++i) {
    snapshot.threads.push_back(blocked("Shop.Cart.Load"));
  }
  for (uint64_t i = 0; i < rules.blocked_workers; ++i) {
    snapshot.threads.push_back(blocked("Shop.Stock.Now"));
  }
  for (uint64_t i = 0; i + 1 < rules.blocked_workers; ++i) {
    snapshot.threads.push_back(blocked("Shop.Mail.Send"));
  }
  model().waits.snapshots.push_back(snapshot);
  const auto told = [&] {
    std::vector<std::string> titles;
    for (const Finding& finding : Find().findings) {
      if (finding.kind == "blocked-workers") titles.push_back(finding.title);
    }
    return titles;
  };
  EXPECT_TRUE(told().empty());  // 8 of 87 are less than a tenth
  std::vector<ThreadInSnapshot>& threads = model().waits.snapshots[0].threads;
  threads.erase(threads.begin(), threads.begin() + 8);
  EXPECT_EQ(told(),
            std::vector<std::string>{"8 of 79 workers of the thread pool block in Shop.Stock.Now"});
}

// The first look has the work inlined into the pool's own method, the second one names it.
TEST_F(OverviewOfEvents, AStarvedPoolIsNamedByTheLookThatShowsYourMethod) {
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  const auto look = [&](const std::vector<std::string>& stack, size_t threads) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = kSecond;
    ThreadInSnapshot standing;
    standing.stack = Stack(stack);
    standing.state = ThreadRunState::kSleeping;
    snapshot.threads.assign(threads, standing);
    model().waits.snapshots.push_back(std::move(snapshot));
  };
  const std::string worker = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart";
  const std::string loop = "System.Threading.ThreadPoolWorkQueue.Dispatch";
  look({worker, loop, "System.Threading.Thread.Sleep"}, 3);
  EXPECT_EQ(Find().findings.at(0).subject, loop);
  look({worker, loop, "Shop.Cart.Send", "System.Threading.Thread.Sleep"}, 1);
  const Overview overview = Find();
  EXPECT_EQ(overview.findings.at(0).subject, "Shop.Cart.Send");
  EXPECT_NE(overview.findings[0].evidence.find(
                "3 of 3 workers blocked, all in System.Threading.ThreadPoolWorkQueue.Dispatch, "
                "into which the JIT compiler has put the work"),
            std::string::npos)
      << overview.findings[0].evidence;
}

TEST_F(OverviewOfEvents, APoolThatTheRuntimeFoundStarvingIsAWarningWhereItsWorkersBlock) {
  for (int i = 0; i < 10; ++i) {
    model().waits.samples.push_back({i * kSecond, 2, 100, static_cast<uint64_t>(i)});
  }
  ThreadSnapshot snapshot;
  ThreadInSnapshot standing;
  standing.state = ThreadRunState::kSleeping;
  for (const char* method : {"Shop.Cart.Load", "Shop.Cart.Price", "Shop.Cart.Show"}) {
    standing.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                            "System.Threading.ThreadPoolWorkQueue.Dispatch", method,
                            "System.Threading.Tasks.Task.Wait"});
    snapshot.threads.push_back(standing);
  }
  model().waits.snapshots.push_back(std::move(snapshot));
  model().waits.starvations = 1;
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "strained");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  model().waits.starvations = 3;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "The runtime detected thread pool starvation 3 times, and most workers block");
}

// They began to wait before the recording, so that no event tells of it.
TEST_F(OverviewOfEvents, ThreadsThatStoodInALockAllTheTimeAreTold) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = 10 * kSecond;
  ThreadInSnapshot standing;
  standing.stack = Stack({"Shop.Cart.Add", "System.Threading.Monitor.Enter"});
  standing.state = ThreadRunState::kSleeping;
  snapshot.threads = {standing, standing};
  model().waits.snapshots.push_back(snapshot);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "standing-still");
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Add");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  model().waits.snapshots[0].threads.pop_back();  // one alone is none
  EXPECT_TRUE(Find().findings.empty());
  model().waits.snapshots[0].threads.push_back(standing);

  // One wait is told once.
  const OverviewRules rules;
  LockWaits(1, rules.long_wait_ns, rules.long_wait_ns);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "long-wait");
  model().waits.groups.clear();

  // Not so long: it may be any wait.
  model().waits.snapshots[0].threads[0].unchanged_since_ns = 1;
  overview = Find();
  EXPECT_TRUE(overview.findings.empty());
  EXPECT_EQ(Of(overview, Signal::kLocks).state, State::kPartly);
}

TEST_F(OverviewOfEvents, ADeadlockSilencesTheWaitsThatItExplainsAndNoOthers) {
  model().facts.last_ns = 30 * kSecond;
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 5; ++i) {
    threads.push_back(static_cast<ThreadIndex>(model().threads.size()));
    model().threads.push_back({.id = 10 + i, .os_id = 100 + i});
  }
  const auto wait = [&](size_t who, uint64_t lock, size_t owner, const char* method) {
    model().waits.open.push_back({.id = who,
                                  .kind = WaitKind::kMonitor,
                                  .thread = threads[who],
                                  .lock = lock,
                                  .owner = threads[owner],
                                  .stack = Stack({method, "System.Threading.Monitor.Enter"}),
                                  .start_ns = static_cast<int64_t>(who + 1) * kSecond});
  };
  wait(0, 0xa, 1, "Shop.Bank.Book");
  wait(1, 0xb, 0, "Shop.Bank.Cancel");
  wait(2, 0xa, 1, "Shop.Bank.Show");  // behind it
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "lock-cycle");
  wait(3, 0xc, 4, "Shop.Mail.Send");
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "long-wait");
  EXPECT_EQ(overview.findings[1].subject, "Shop.Mail.Send");
  // One who waits for what a deadlocked thread holds is behind the deadlock, whoever tells it.
  model().waits.open.back().owner = threads[0];
  EXPECT_EQ(Find().findings.size(), 1u);
  LockWaits(100, 70 * kSecond, kSecond);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "convoy");
}

// They stood so before the recording began.
TEST_F(OverviewOfEvents, ThreadsThatADeadlockExplainsAreNotToldAsStandingStill) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = 20 * kSecond;
  model().facts.last_ns = 20 * kSecond;
  const auto stand = [&](const char* method, uint64_t lock, uint32_t owner) {
    ThreadInSnapshot thread;
    thread.thread = static_cast<ThreadIndex>(model().threads.size());
    model().threads.push_back({.id = thread.thread, .os_id = 100 + thread.thread});
    thread.stack = Stack({method, "System.Threading.Monitor.Enter"});
    thread.state = ThreadRunState::kSleeping;
    thread.waits_for = lock;
    thread.lock_owner = thread.thread + owner;
    snapshot.threads.push_back(thread);
  };
  stand("Shop.Bank.Book", 0xa, 1);
  stand("Shop.Bank.Cancel", 0xb, ~0u);
  for (uint32_t i = 1; i <= 3; ++i) stand("Shop.Bank.Show", 0xa, ~i + 1);  // the second
  model().waits.snapshots.push_back(snapshot);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "lock-cycle");
  for (int i = 0; i < 2; ++i) stand("Shop.Mail.Send", 0, 0);
  for (size_t i = 5; i < 7; ++i) snapshot.threads[i].lock_owner = 0;
  model().waits.snapshots[0] = snapshot;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "standing-still");
  EXPECT_EQ(overview.findings[1].subject, "Shop.Mail.Send");
}

TEST_F(OverviewOfEvents, APoolWhoseWorkersBlockOnTasksIsAWarningAndABusyOneANote) {
  for (int i = 0; i < 10; ++i) {
    model().waits.samples.push_back({i * kSecond, 2, 100, static_cast<uint64_t>(i)});
  }
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  model().waits.adjustments.assign(100, added);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "strained");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);

  model().waits.adjustments.clear();
  for (PoolSampleInfo& sample : model().waits.samples) sample.completed = 7;
  model().waits.snapshots.emplace_back();
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "strained");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
}

// The number is another one in each run; the finding is the same.
TEST_F(OverviewOfEvents, CodeCompiledFromAnExpressionIsToldWithoutItsNumber) {
  scene_.Cpu(scene_.Call({"System.Linq.Enumerable.Count", "[dynamic] lambda_method407"}), 400);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Mail.Send"}), 100);
  const std::vector<Finding> findings = Find().findings;
  const auto hidden = std::ranges::find(findings, "hidden-path", &Finding::kind);
  ASSERT_NE(hidden, findings.end());
  EXPECT_EQ(hidden->subject, "[dynamic] lambda_method");
  EXPECT_TRUE(hidden->title.starts_with("[dynamic] lambda_method takes 80 ")) << hidden->title;
  EXPECT_NE(hidden->evidence.find("System.Linq.Enumerable.Count"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
