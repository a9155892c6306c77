// Findings about exceptions: unhandled ones, storms, lost ones.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;

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

// Nobody can take a snapshot of a process that is gone.
TEST_F(OverviewOfEvents, TheAdviceAboutSnapshotsIsPossible) {
  Exceptions("Shop.Fatal", 1, 1000, Ending::kUnhandled);
  model().facts.pid = 42;
  const auto advice = [this](EndReason end) {
    model().facts.end = end;
    return Of(Find(), Signal::kHeap).note;
  };
  EXPECT_NE(advice(EndReason::kStopped).find("hindsight-trigger snapshot 42"), std::string::npos);
  for (const EndReason end : {EndReason::kBrokeOff, EndReason::kProcessExit}) {
    EXPECT_EQ(advice(end), "No heap snapshot: record with `heap.every=10m`.");
  }
}

// The runtime calls that a lack of memory, whatever the reason.
TEST_F(OverviewOfEvents, AThreadThatCannotStartIsNoFullHeap) {
  ExceptionGroup& group = Exceptions("System.OutOfMemoryException", 1, 1000, Ending::kUnhandled);
  const auto names_threads = [this] {
    return Find().findings.at(0).evidence.find("thread could not be started") != std::string::npos;
  };
  EXPECT_FALSE(names_threads());
  group.stack = Stack({"Shop.Program.Main", "System.Threading.Thread.StartCore"});
  EXPECT_TRUE(names_threads());
}

// However deep: each of these wraps the previous one.
TEST_F(OverviewOfEvents, TheRootCauseOfAnUnhandledExceptionIsReported) {
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
  // It is unknown which of the two it was.
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
TEST_F(OverviewOfEvents, WhatAnotherStormWrapsIsReportedThere) {
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

// A thread that has no processor is between throw and catch for long.
TEST_F(OverviewOfEvents, AStormsTimesMayBeWaitsForAProcessor) {
  const OverviewRules rules;
  Exceptions("Shop.Lost", static_cast<uint64_t>(100 * rules.storm_per_second), kSecond / 100);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ran_ns = 2e9;
  model().waits.ready_ns = 6e9;
  const std::string includes_waits =
      " That includes waits for a processor: in 75.0 % of the time in which threads could run, "
      "they "
      "had none.";
  EXPECT_NE(Find().findings.at(0).evidence.find(includes_waits), std::string::npos)
      << Find().findings[0].evidence;
  model().waits.ready_ns = 1.9e9;
  EXPECT_EQ(Find().findings.at(0).evidence.find("includes waits"), std::string::npos);
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

// A loop in the background of a service that is rarely called.
TEST_F(OverviewOfEvents, ManyMoreExceptionsThanRequestsAreNotOfRequestsUnlessAServerCalled) {
  const OverviewRules rules;
  ExceptionGroup& group = Exceptions("Shop.Often", 300, 1000);
  const auto storms = [&] {
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& finding) { return finding.kind != "storm"; });
    return found.size();
  };
  model().requests.finished = static_cast<uint64_t>(300 / rules.storm_most_per_request);
  EXPECT_EQ(storms(), 1u);
  model().requests.finished -= 1;
  EXPECT_EQ(storms(), 0u);
  group.stack =
      Stack({"Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol."
             "ProcessRequests",
             "Shop.Cart.Load"});
  EXPECT_EQ(storms(), 1u);
}

// A server's own exceptions, when connections end.
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

TEST_F(OverviewOfEvents, MistakesThatAreCaughtAgainAndAgainAreADoubt) {
  const OverviewRules rules;
  const auto are_told = [this](const char* type, uint64_t count) {
    model().exceptions.groups.clear();
    Exceptions(type, count, 1000);
    const Overview overview = Find();
    const auto found = std::ranges::find(overview.findings, "caught-mistake", &Finding::kind);
    if (found == overview.findings.end()) return false;
    EXPECT_TRUE(found->is_doubt);
    EXPECT_EQ(overview.findings.size(), 1u);  // and not as the dominant exception
    return true;
  };
  const char* const kNull = "System.NullReferenceException";
  EXPECT_TRUE(are_told(kNull, rules.mistakes));
  EXPECT_FALSE(are_told(kNull, rules.mistakes - 1));
  EXPECT_TRUE(are_told(kNull, 100));
  EXPECT_FALSE(are_told("System.FormatException", 100));
  model().facts.last_ns = 60 * kSecond;  // 10 a minute
  EXPECT_TRUE(are_told(kNull, 10));
  model().facts.last_ns = 61 * kSecond;
  EXPECT_FALSE(are_told(kNull, 10));
}

// Sockets are disposed to end what waits for them. Nobody means to use a request that is over.
TEST_F(OverviewOfEvents, WhatIsDisposedIsAMistakeUnlessItBelongsToSystem) {
  Exceptions("System.ObjectDisposedException", 20, 1000);
  const auto is_told_of = [this](const char* disposed) {
    model().exceptions.groups[0].stack = Stack({"Shop.Program.Main", disposed});
    return std::ranges::any_of(
        Find().findings, [](const Finding& finding) { return finding.kind == "caught-mistake"; });
  };
  EXPECT_FALSE(is_told_of("System.Net.Sockets.Socket.Accept"));
  EXPECT_TRUE(is_told_of("Microsoft.AspNetCore.Http.DefaultHttpContext.get_TraceIdentifier"));
}

// Work that waits for something that never comes.
TEST_F(OverviewOfEvents, WhatFailsAtASteadyRateIsARetryLoop) {
  const OverviewRules rules;
  model().facts.last_ns = 20 * kSecond;
  ExceptionGroup& group = Exceptions("Shop.Refused", rules.retries, 1000);
  const auto spread_over = [&](int64_t ns) {
    group.times = {};
    for (uint64_t i = 0; i < group.count; ++i) {
      group.times.Add(ns / static_cast<int64_t>(group.count) * static_cast<int64_t>(i));
    }
  };
  spread_over(20 * kSecond);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "retry-loop");
  EXPECT_EQ(overview.findings[0].title,
            "Shop.Cart.LoadShop.Refused fails again and again: Shop.Refused, 1.0/s");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_NE(overview.doubt(), nullptr);  // nothing shows that the process does anything else
  group.count = group.throws[0] = static_cast<uint64_t>(20 * rules.storm_per_second);
  group.endings[static_cast<size_t>(Ending::kSwallowed)] = group.count;
  spread_over(20 * kSecond);
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  EXPECT_EQ(Find().doubt(), nullptr);
  group.count = group.throws[0] = rules.retries;
  group.endings[static_cast<size_t>(Ending::kSwallowed)] = group.count;
  spread_over(20 * kSecond);
  model().requests.started = 5;
  EXPECT_EQ(Find().doubt(), nullptr);
  model().requests.finished = rules.retries;  // it may be each of them
  EXPECT_TRUE(Find().findings.empty());
  model().requests.finished = 0;
  spread_over(15 * kSecond);  // it has ended
  EXPECT_TRUE(Find().findings.empty());
  // What fails with a timeout begins late.
  const auto since = [&](double seconds) {
    group.first_ns = static_cast<int64_t>((20 - seconds) * kSecond);
    group.times = {};
    for (uint64_t i = 0; i < group.count; ++i) {
      group.times.Add(group.first_ns + static_cast<int64_t>(seconds * kSecond) /
                                           static_cast<int64_t>(group.count) *
                                           static_cast<int64_t>(i));
    }
    return Find();
  };
  const Overview late = since(rules.retry_steady_seconds + 0.1);
  ASSERT_EQ(late.findings.size(), 1u);
  EXPECT_NE(late.findings[0].evidence.find(", the first at 11.90 s and as many ever since,"),
            std::string::npos)
      << late.findings[0].evidence;
  EXPECT_TRUE(since(rules.retry_steady_seconds - 0.1).findings.empty());
  // A timeout is no request's usual end.
  group.type = Type("Shop.MailTimeoutException");
  model().requests.finished = rules.retries;
  EXPECT_EQ(since(19).findings.at(0).title,
            "Shop.Cart.LoadShop.Refused runs into a timeout again and again: "
            "Shop.MailTimeoutException, 1.1/s");
}

TEST_F(OverviewOfEvents, ServersThatCannotBeReachedAreReported) {
  const OverviewRules rules;
  ExceptionGroup& group = Exceptions("System.Threading.Tasks.TaskCanceledException", 100, 1000);
  group.stack = Stack({"System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync"});
  const auto find = [&](uint64_t count) {
    group.count = group.throws[0] = group.endings[static_cast<size_t>(Ending::kSwallowed)] = count;
    return Find();
  };
  Overview overview = find(rules.failing_work);
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failing-connects");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title, "HttpClient cannot connect: 10 attempts a second fail");
  EXPECT_EQ(find(rules.failing_work - 1).findings.at(0).severity, Severity::kNote);
  EXPECT_EQ(find(rules.failing_connects).findings.size(), 1u);
  EXPECT_TRUE(find(rules.failing_connects - 1).findings.empty());
  model().facts.last_ns = 41 * kSecond;
  EXPECT_TRUE(find(rules.failing_connects).findings.empty());
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

// Task.Run without an await: the runtime's own method stores the exception.
TEST_F(OverviewOfEvents, WorkThatNobodyAwaitsFailsUnseen) {
  const OverviewRules rules;
  constexpr char kRunsDelegate[] = "System.Threading.Tasks.Task.ExecuteWithThreadLocal";
  EndRequests("Shop.OutOfPaper", rules.failing_work, kRunsDelegate);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);  // and not as the dominant exception
  EXPECT_EQ(overview.findings[0].kind, "never-awaited");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title, "100 exceptions stayed in tasks that no await threw again");
  // In so long a time, they are few.
  const int64_t seconds = static_cast<int64_t>(rules.failing_work / rules.failing_work_per_second);
  model().facts.last_ns = seconds * kSecond;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  model().facts.last_ns += kSecond;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  model().exceptions = {};
  EndRequests("Shop.OutOfPaper", rules.failing_work - 1, kRunsDelegate);
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  // Other methods of the class hand it on.
  model().exceptions = {};
  EndRequests("Shop.OutOfPaper", 1, "System.Threading.Tasks.Task.ThrowIfExceptional");
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, AnErrorEndsADataflowBlock) {
  constexpr char kBlock[] =
      "System.Threading.Tasks.Dataflow.Internal.TargetCore`1.ProcessMessagesLoopCore";
  EndRequests("System.OperationCanceledException", 1, kBlock);  // of one message
  EXPECT_TRUE(Find().findings.empty());
  EndRequests("Shop.OutOfPaper", 1, kBlock);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "faulted-block");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "Shop.OutOfPaper in Shop.Cart.LoadShop.OutOfPaper ended a dataflow block");
  model().exceptions.groups.back().stack = Stack({"System.Net.Http.ConnectionPool.Connect"});
  EXPECT_TRUE(Find().findings.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
