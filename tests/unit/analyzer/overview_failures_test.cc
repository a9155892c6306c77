// Findings about requests that fail, with an exception or without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

TEST_F(OverviewOfEvents, ExceptionsThatEndRequestsAreReportedAsSuchAndNotAsSwallowed) {
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

  model().requests.finished = 1001;  // this few are a note
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  model().requests.finished = 0;  // how many were served is unknown
  EXPECT_EQ(Find().findings.size(), 1u);
}

// Wrong requests, to which an application's own exception handler says so.
TEST_F(OverviewOfEvents, RequestsThatAreProbablyRefusedAreADoubt) {
  for (const auto& [type, is_doubt] :
       {std::pair("Shop.ValidationException", true), std::pair("Shop.OrderNotFoundException", true),
        std::pair("System.IO.FileNotFoundException", false), std::pair("Shop.Lost", false)}) {
    model().exceptions = {};
    EndRequests(type, OverviewRules{}.failed_requests, kMiddleware);
    ExceptionGroup& group = model().exceptions.groups.back();
    for (const auto& entry : group.swallowers.entries()) group.handlers.Add(entry.key, entry.count);
    model().requests.finished = 100;
    const Overview overview = Find();
    ASSERT_EQ(overview.findings.size(), 1u) << type;
    EXPECT_EQ(overview.findings[0].is_doubt, is_doubt) << overview.findings[0].evidence;
  }
}

// A bank that does not answer: calls fail wherever they have come to.
TEST_F(OverviewOfEvents, RequestsThatEndWithOneExceptionAreOneFailureWhereverItIsThrown) {
  model().requests.finished = 1000;
  EndRequests("Shop.Lost", 40, kMiddleware);
  model().exceptions.groups[0].stack = Stack({"Shop.Orders.Pay", "Shop.Bank.Read"});
  const TypeId type = model().exceptions.groups[0].type;
  const auto more = [&](uint64_t count, const char* handler, const char* place) {
    EndRequests("Shop.Lost", count, kMiddleware);
    model().exceptions.groups.back().stack = Stack({handler, place});
    model().exceptions.groups.back().type = type;
  };
  more(30, "Shop.Orders.Pay", "Shop.Bank.Connect");
  more(3, "Shop.Orders.Pay", "Shop.Bank.Send");
  more(2, "Shop.Orders.Pay", "Shop.Bank.Close");
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].title,
            "75 requests of 1,000 (7.5 %) ended with Shop.Lost, in Shop.Orders.Pay");
  EXPECT_NE(overview.findings[0].evidence.find("Thrown in Shop.Bank.Read"), std::string::npos);
  EXPECT_NE(overview.findings[0].evidence.find(
                " 30 of them are thrown in Shop.Bank.Connect, and 5 in 2 other places."),
            std::string::npos)
      << overview.findings[0].evidence;

  more(20, "Shop.Orders.Cancel", "Shop.Bank.Void");  // another handler
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].title,
            "20 requests of 1,000 (2.0 %) ended with Shop.Lost, in Shop.Orders.Cancel");
}

// It does not matter on whose stack an async handler resumes.
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

// Two routes open a connection of the same pool, which has none.
TEST_F(OverviewOfEvents, AllHandlersOfFailedRequestsAreNamed) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", 3 * rules.failed_requests, kServer);
  model().requests.finished = 1000;
  Handler server;
  server.method = scene_.Method(kServer);
  const HandlerId handler = model().dictionaries.AddHandler(server);
  const auto route = [&](const char* thrower, uint64_t count) {
    std::vector<RouteStep>& steps = model().exceptions.routes;
    steps.push_back({.hop = Hop::kRestored,
                     .thrower = scene_.Method(thrower),
                     .outcome = Outcome::kCaught,
                     .handler = handler});
    model().exceptions.groups[0].routes.Add(static_cast<RouteId>(steps.size()), count);
  };
  route("Shop.Accounts.Balance", 2 * rules.failed_requests);
  route("Shop.Accounts.Audit", rules.failed_requests);
  const std::vector<Finding> found = Find().findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].title.ends_with(", in Shop.Accounts.Balance and Shop.Accounts.Audit"))
      << found[0].title;
}

// The server's own code throws if the client has closed its connection or its stream.
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
  EXPECT_EQ(reports_.events->exceptions.ended_requests, 0u);
  EXPECT_EQ(reports_.events->exceptions.ended_by_client, rules.failed_requests);
  EXPECT_EQ(reports_.events->exceptions.findings[0].swallowed, 0u);
  EXPECT_EQ(thrown_in({"Shop.Program.Main", body, "System.IO.Pipelines.Pipe.GetResult"}), 0u);
  EXPECT_EQ(thrown_in({body, "Shop.Program.Main", "System.IO.FileStream.Read"}), 1u);
}

// The same with WebSockets; one to another server is yours.
TEST_F(OverviewOfEvents, AWebSocketThatTheClientDroppedIsNoFailure) {
  const OverviewRules rules;
  EndRequests("System.Net.WebSockets.WebSocketException", rules.failed_requests, kMiddleware);
  model().requests.finished = rules.failed_requests;
  const std::string stream = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.Stream.Read",
                    receive = "System.Net.WebSockets.ManagedWebSocket.Receive";
  model().exceptions.groups[0].stack = Stack({"Shop.Chat.Listen", stream, receive});
  EXPECT_TRUE(Find().findings.empty());
  model().exceptions.groups[0].stack = Stack({stream, "Shop.Chat.Forward", receive});
  EXPECT_EQ(Find().findings.size(), 1u);
}

// By clients that went away, or by a timeout.
TEST_F(OverviewOfEvents, RequestsThatEndByACanceledCallMayHaveFailed) {
  ASSERT_EQ(OverviewRules{}.failed_route_share, 0.05);
  EndRequests("System.Threading.Tasks.TaskCanceledException", 50, kMiddleware);
  model().exceptions.groups[0].stack =
      Stack({"Shop.Orders.Pay", "System.Net.Http.HttpClient.HandleFailure"});
  const auto found = [&](uint64_t finished) {
    model().requests.finished = finished;
    return Find().findings;
  };
  EXPECT_TRUE(found(1001).empty());
  const std::vector<Finding> findings = found(1000);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].is_doubt);
  EXPECT_TRUE(findings[0].title.starts_with(
      "50 requests of 1,000 (5.0 %) ended because a call to another server was canceled"))
      << findings[0].title;
  model().exceptions.groups[0].stack = Stack({"Shop.Orders.Pay", "Shop.Orders.Poll"});
  EXPECT_TRUE(found(1000).empty());
}

// As Lazy<T> does: one exception, for which the server counts many requests.
TEST_F(OverviewOfEvents, RequestsThatFailWithAnExceptionThatIsKeptAreReported) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", 1, kMiddleware);
  model().requests.finished = 1000;
  model().requests.failed = 1 + rules.failed_requests;
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);  // the other one is a note about that exception
  EXPECT_EQ(overview.findings[1].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].title, "5 requests of 1,000 (0.5 %) failed with an exception");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_TRUE(overview.findings[0].evidence.ends_with("has no exceptions for them."));
  model().exceptions.groups[0].throws[0] = 1 + rules.failed_requests;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Lost");
  EXPECT_TRUE(
      overview.findings[0].title.ends_with("that something keeps and throws again: Shop.Lost"))
      << overview.findings[0].title;

  const auto is_note = [this] {
    const std::vector<Finding> found = Find().findings;
    return found.size() == 1 && found[0].severity == Severity::kNote;
  };
  model().losses.ring_full = 1;  // their exceptions may be lost
  EXPECT_TRUE(is_note());
  model().losses.ring_full = 0;
  model().requests.failed = rules.failed_requests;  // one explains itself
  EXPECT_TRUE(is_note());
  model().requests.failed = 1 + rules.failed_requests;
  model().requests.finished = 1001;
  EXPECT_TRUE(is_note());
}

// Of many that fail, as for want of memory, the ends of a few are missed.
TEST_F(OverviewOfEvents, AFewFailuresOfManyAreNotKept) {
  constexpr uint64_t kFailed = 200;
  EndRequests("Shop.Full", kFailed, kMiddleware);
  model().exceptions.groups[0].throws[0] = 3 * kFailed;
  model().requests.finished = 1000;
  const auto are_counted = [&](uint64_t others) {
    model().requests.failed = kFailed + others;
    return std::ranges::any_of(Find().findings, [](const Finding& finding) {
      // More of these exceptions were thrown than requests are unexplained: none is kept.
      EXPECT_EQ(finding.title.find("keeps"), std::string::npos);
      return finding.evidence.starts_with("The server counted them.");
    });
  };
  EXPECT_FALSE(are_counted(10));  // 5 % of 210 are 10.5
  EXPECT_TRUE(are_counted(11));
}

// The server counts its answers; where it says that there were none of 500 or more, what ended the
// requests was answered with less.
TEST_F(OverviewOfEvents, RequestsThatWereRefusedAreANote) {
  EndRequests("Shop.Lost", 80, kMiddleware);
  TimeSeries& times = model().exceptions.groups[0].times;
  times.AddEvenly(0, 10 * kSecond, 80);
  model().requests.finished = 100;
  model().requests.samples = {{.at_ns = kSecond / 1000}, {.at_ns = 10 * kSecond}};
  const auto severity_with = [this](std::optional<uint64_t> errors) {
    model().requests.server_errors = errors;
    const Overview overview = Find();
    EXPECT_EQ(overview.findings.size(), 1u);
    EXPECT_EQ(overview.findings.at(0).kind, "failed-requests");
    EXPECT_FALSE(overview.findings.at(0).is_doubt);
    return overview.findings.at(0).severity;
  };
  EXPECT_EQ(severity_with(std::nullopt), Severity::kWarning);
  EXPECT_EQ(severity_with(21), Severity::kWarning);  // half of the last 40
  EXPECT_EQ(severity_with(19), Severity::kNote);
  // Requests that had begun before the recording: their answers are not counted.
  times = {};
  times.AddEvenly(0, 4 * kSecond, 80);
  EXPECT_EQ(severity_with(0), Severity::kWarning);
  times = {};
  times.AddEvenly(0, 10 * kSecond, 80);
  EXPECT_EQ(severity_with(0), Severity::kNote);
  EXPECT_TRUE(
      Find().findings.at(0).evidence.ends_with("the server counted no answers of 500 or more."))
      << Find().findings.at(0).evidence;
}

TEST_F(OverviewOfEvents, RefusedRequestsAreNotAlsoTheDominantException) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.storm_count, kMiddleware);
  model().exceptions.groups[0].times.AddEvenly(0, 10 * kSecond, rules.storm_count);
  model().requests.finished = 10 * rules.storm_count;
  model().requests.server_errors = 0;
  model().requests.samples = {{.at_ns = 1}, {.at_ns = 10 * kSecond}};
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failed-requests");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
}

// A middleware that catches everything, and answers with 500.
TEST_F(OverviewOfEvents, ServerErrorsThatNoExceptionExplainsAreReported) {
  const OverviewRules rules;
  model().requests.finished = 1000;
  model().requests.server_errors = rules.failed_requests;  // 0.5 %
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "5 requests of 1,000 (0.5 %) were answered with a server error (500 or above)");
  EXPECT_TRUE(overview.findings[0].evidence.starts_with("The application answers so by itself"));

  // As health checks do while the application starts.
  model().requests.samples.push_back({.at_ns = model().facts.last_ns});
  model().requests.last_error_ns = model().facts.last_ns / 2 - 1;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_TRUE(overview.findings[0].is_doubt);
  EXPECT_NE(overview.findings[0].evidence.find("The last of them was at "), std::string::npos);
  model().requests.last_error_ns = model().facts.last_ns / 2;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);

  model().requests.finished = 1001;
  EXPECT_TRUE(Find().findings.empty());
  model().requests.finished = 500;
  model().requests.server_errors = rules.failed_requests - 1;
  EXPECT_TRUE(Find().findings.empty());
  // Those that ended with an exception are reported with it.
  model().requests.server_errors = 100;
  EndRequests("Shop.Lost", 96, kMiddleware);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Lost");
}

TEST_F(OverviewOfEvents, ServerErrorsAreExplainedByAboutAsManyExceptions) {
  model().requests.finished = 1000;
  model().requests.server_errors = 100;
  Exceptions("Shop.Full", 100, 1000);
  const auto is_cause = [this](uint64_t count) {
    model().exceptions.groups[0].count = model().exceptions.groups[0].throws[0] = count;
    const Overview overview = Find();
    const auto found = std::ranges::find(overview.findings, "failed-requests", &Finding::kind);
    EXPECT_NE(found, overview.findings.end());
    if (found == overview.findings.end() || found->subject.empty()) return false;
    EXPECT_TRUE(found->title.ends_with("(500 or above): probably Shop.Full")) << found->title;
    // It is one problem.
    EXPECT_EQ(std::ranges::count(overview.findings, found->subject, &Finding::subject), 1);
    return true;
  };
  EXPECT_TRUE(is_cause(100));
  EXPECT_TRUE(is_cause(125));
  EXPECT_FALSE(is_cause(126));
  EXPECT_TRUE(is_cause(75));
  EXPECT_FALSE(is_cause(74));
}

// A client that went away is not answered.
TEST_F(OverviewOfEvents, CanceledRequestsThatAreAnsweredWithAServerErrorHaveFailed) {
  EndRequests("System.Threading.Tasks.TaskCanceledException", 74, kServer);
  Requests& requests = model().requests;
  requests.finished = 86;
  requests.failed = 55;
  const auto found = [this] {
    std::vector<Finding> findings = Find().findings;
    std::erase_if(findings, [](const Finding& one) { return one.kind != "failed-requests"; });
    return findings;
  };
  requests.server_errors = 0;
  EXPECT_TRUE(found().empty());
  requests.server_errors = 55;
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(found()[0].title,
            "55 requests of 86 (64.0 %) were answered with a server error (500 or above): probably "
            "System.Threading.Tasks.TaskCanceledException");
  EXPECT_NE(found()[0].evidence.find("so they had not gone away"), std::string::npos);
}

TEST_F(OverviewOfEvents, FailedRequestsAreReportedWithTheirRoutesWhereTheseWereRecorded) {
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

// A hundredth of a percent of all requests, and all requests of one route.
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
  // One more success: 4.95 %.
  model().requests.kinds[1].count = 96;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
}

TEST_F(OverviewOfEvents, ARouteThatAnswersWithErrorsIsReportedWithoutAnyException) {
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
  // Requests that clients abort are not the route's fault, nor are those for things that do not
  // exist.
  model().requests.kinds[1].count = 50;
  model().requests.kinds[1].tags =
      "error.type=System.OperationCanceledException,http.request.method=GET,http.route=/stock";
  EXPECT_TRUE(Find().findings.empty());
  model().requests.kinds[1].tags =
      "http.request.method=GET,http.response.status_code=404,http.route=/stock";
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, WhatAnExceptionReportsIsNotReportedForItsRouteAgain) {
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

// For single requests, only the status is known, and whether an exception that ended some is
// reported.
TEST_F(OverviewOfEvents, SingleRequestsReportRoutesThatFail) {
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

TEST_F(OverviewOfEvents, FewRequestsThatEndedWithAnExceptionAreANote) {
  const OverviewRules rules;
  EndRequests("Shop.Lost", rules.failed_requests - 1, kServer);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failed-requests");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
}

TEST_F(OverviewOfEvents, ARequestThatTheClientGaveUpIsNoFailure) {
  EndRequests("System.OperationCanceledException", 50, kServer);
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, FewRequestsThatTakeMostOfTheTimeAreANote) {
  const OverviewRules rules;
  Served("http.route=/,http.request.method=GET", 1);
  Find();
  const auto found = [&](uint64_t count, uint64_t slowest_ns, uint64_t p99_ns, uint64_t mean_ns) {
    RequestRow row;
    row.method = "GET";
    row.target = "/orders/{n}";
    row.count = count;
    row.total_ns = count * mean_ns;
    row.slowest_ns = slowest_ns;
    row.p99_ns = p99_ns;
    reports_.events->requests.served = {row};
    const std::vector<Finding> findings = FindAll(reports_).findings;
    return std::ranges::count(findings, "slow-outliers", &Finding::kind);
  };
  constexpr uint64_t kMs = 1'000'000;
  const uint64_t slow_ns = rules.outlier_ns, many = rules.many_requests;
  EXPECT_EQ(found(many, slow_ns, 9 * kMs, 60 * kMs), 1);
  EXPECT_EQ(found(many - 1, slow_ns, 9 * kMs, 60 * kMs), 0);
  EXPECT_EQ(found(many, slow_ns - 1, 9 * kMs, 60 * kMs), 0);
  EXPECT_EQ(found(many, slow_ns, 51 * kMs, 60 * kMs), 0);
  EXPECT_EQ(found(many, slow_ns, 9 * kMs, 8 * kMs), 0);  // the others take most of the time
}

}  // namespace
}  // namespace hindsight::analyzer
