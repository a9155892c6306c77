// Findings about pauses, CPU time and allocations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/runtime_work.h"
#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;

TEST_F(OverviewOfEvents, PausesAreJudgedAsTheirAnalysisDoes) {
  Pause(kSecond, 40'000'000);
  EXPECT_TRUE(Find().findings.empty());
  Pause(2 * kSecond, 60'000'000);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);  // 1 % of the time
  EXPECT_EQ(overview.findings[0].kind, "young-collections");
  Pause(3 * kSecond, 100'000'000);
  EXPECT_EQ(Find().findings[0].severity, Severity::kNote);  // 2 %: young ones are not a warning
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

// Nobody waits for the answer.
TEST_F(OverviewOfEvents, ABadPauseIsANoteWithoutRequestsUnlessItIsLong) {
  const OverviewRules rules;
  model().facts.last_ns = 1000 * kSecond;
  model().facts.requests_on = true;
  for (const int64_t at : {1, 2}) {
    Pause(at * kSecond, 300'000'000);
    model().collections.rows.back().generation = 2;
  }
  EXPECT_EQ(Find().findings.at(0).kind, "blocking-gen2");
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  model().requests.started = 1;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  model().requests.started = 0;
  Pause(3 * kSecond, rules.long_pause_ns);
  model().collections.rows.back().generation = 2;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
}

TEST_F(OverviewOfEvents, WhoAllocatesLargeObjectsIsReportedWithWhatTheyCost) {
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
  EXPECT_TRUE(pauses().evidence.ends_with("are string of " + pauses().subject + "."));
  allocate("Shop.Third.Join", AllocationHeap::kLarge);
  EXPECT_TRUE(pauses().evidence.ends_with("that it calls, mostly string."));
  allocate("Shop.Fourth.Join", AllocationHeap::kLarge);
  EXPECT_NE(pauses().subject, "");
  allocate("Shop.Fifth.Join", AllocationHeap::kLarge);
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

TEST_F(OverviewOfEvents, ALoopThatYieldsInsteadOfWaitingIsAWarning) {
  const std::string yield =
      "System.Runtime.CompilerServices.YieldAwaitable.YieldAwaiter.AwaitUnsafeOnCompleted";
  const OverviewRules rules;
  scene_.Cpu(scene_.Call({"Shop.Outbox.ExecuteAsync"}), 200);
  scene_.Cpu(scene_.Call({"Shop.Cart.Sum"}), 701);
  scene_.Cpu(scene_.Call({"Shop.Outbox.ExecuteAsync", yield}), 99);
  const auto polling = [&] {
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& finding) { return finding.kind != "polling"; });
    return found;
  };
  EXPECT_TRUE(polling().empty());  // 9.9 %
  scene_.Cpu(scene_.Call({"Shop.Outbox.ExecuteAsync", yield}), 2);
  const std::vector<Finding> found = polling();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_TRUE(
      found[0].title.starts_with("Shop.Outbox.ExecuteAsync awaits Task.Yield in a loop: 30 "))
      << found[0].title;
  EXPECT_NE(found[0].evidence.find("101 samples of 1,002"), std::string::npos) << found[0].evidence;
}

// The class library spins for a moment before it waits.
TEST_F(OverviewOfEvents, WhatTheClassLibrarySpinsIsNoLoopOfYours) {
  scene_.Cpu(scene_.Call({"Shop.Cart.Sum", "System.Threading.ManualResetEventSlim.Wait",
                          "System.Threading.SpinWait.SpinOnceCore"}),
             500);
  for (const Finding& finding : Find().findings) EXPECT_NE(finding.kind, "polling");
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

TEST_F(OverviewOfEvents, HttpClientsThatAreCreatedAgainAndAgainAreReported) {
  const CallId setup =
      scene_.Call({"Shop.Program.Main", "Shop.Mail.Send", "System.Net.Http.HttpClient.SendAsync",
                   "System.Net.Http.SocketsHttpHandler.SetupHandlerChain"});
  const CallId connect =
      scene_.Call({"Shop.Program.Main", "Shop.Mail.Send", "System.Net.Http.HttpClient.SendAsync",
                   "System.Net.Http.HttpConnectionPool.ConstructHttp11ConnectionAsync"});
  for (int i = 0; i < 4; ++i) scene_.Allocate(setup, "System.Object", 70, 1e5);
  for (int i = 0; i < 16; ++i) scene_.Allocate(connect, "System.Byte[]", 20, 1e5);
  EXPECT_TRUE(Find().findings.empty());
  scene_.Allocate(setup, "System.Object", 70, 1e5);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "http-clients");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title, "HttpClient is created again and again, in Shop.Mail.Send");
  EXPECT_TRUE(overview.findings[0].evidence.starts_with("5 samples of 21 "))
      << overview.findings[0].evidence;
  EXPECT_NE(overview.findings[0].evidence.find("; 76 ±"), std::string::npos)
      << overview.findings[0].evidence;
  model().facts.last_ns = 1000 * kSecond;  // now and then is no problem
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, ConnectionsThatAreOpenedAgainAndAgainAreADoubt) {
  const OverviewRules rules;
  const CallId connect =
      scene_.Call({"System.Net.Http.HttpConnectionPool.ConstructHttp11ConnectionAsync"});
  const CallId other = scene_.Call({"Shop.Program.Main"});
  const auto with = [&](uint64_t connects, uint64_t early) {
    model().samples.allocations.samples.clear();
    const auto others = static_cast<uint64_t>(static_cast<double>(connects) *
                                              (1 / rules.new_connections_share - 1));
    const auto allocate = [&](CallId call, int64_t at_ns) {
      scene_.Allocate(call, "System.Byte[]", 20, 1e5);
      model().samples.allocations.samples.back().at_ns = at_ns;
    };
    for (uint64_t i = 0; i < others; ++i) allocate(other, i % 3 == 0 ? 0 : model().facts.last_ns);
    for (uint64_t i = 0; i < connects; ++i)
      allocate(connect, i < early ? 0 : model().facts.last_ns);
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& finding) { return finding.kind != "http-clients"; });
    return found;
  };
  const uint64_t enough = rules.new_connections_samples;
  const std::vector<Finding> found = with(enough, enough / 3);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].title, "HttpClient opens connections again and again");
  EXPECT_EQ(
      found[0].command,
      "allocations --focus System.Net.Http.HttpConnectionPool.ConstructHttp11ConnectionAsync");
  EXPECT_TRUE(with(enough - 1, 0).empty());
  EXPECT_TRUE(with(enough, enough).empty());  // those of a start
}

// Yours are inlined into what was compiled before the recording began.
TEST_F(OverviewOfEvents, AMethodOfOthersThatTakesMostIsANoteIfNoneOfYoursIsOnTheWay) {
  const std::string encode = "libbrotli.so!Encode";
  scene_.Cpu(scene_.Call({"System.Web.Server.Run", encode}), 240);
  scene_.Cpu(scene_.Call({"System.Web.Server.Run", "libz.so!Deflate"}), 121);
  scene_.Cpu(scene_.Call({"System.Web.Server.Run", "libc.so!memcpy"}), 120);
  const auto found = [&] {
    const std::vector<Finding> findings = Find().findings;
    const auto hot = std::ranges::find(findings, "hot-path", &Finding::kind);
    return hot == findings.end() ? Finding() : *hot;
  };
  EXPECT_EQ(found().subject, "");
  scene_.Cpu(scene_.Call({"System.Web.Server.Run", encode}), 1);
  EXPECT_EQ(found().subject, encode);
  EXPECT_EQ(found().severity, Severity::kNote);
}

// The number differs in each run; the finding is the same.
TEST_F(OverviewOfEvents, CodeCompiledFromAnExpressionIsReportedWithoutItsNumber) {
  scene_.Cpu(scene_.Call({"System.Linq.Enumerable.Count", "[dynamic] lambda_method407"}), 400);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Mail.Send"}), 100);
  const std::vector<Finding> findings = Find().findings;
  const auto hidden = std::ranges::find(findings, "hidden-path", &Finding::kind);
  ASSERT_NE(hidden, findings.end());
  EXPECT_EQ(hidden->subject, "[dynamic] lambda_method");
  EXPECT_TRUE(hidden->title.starts_with("[dynamic] lambda_method takes 80 ")) << hidden->title;
  EXPECT_NE(hidden->evidence.find("System.Linq.Enumerable.Count"), std::string::npos);
}

// A thread that the kernel does not let run cannot stop for a pause.
TEST_F(OverviewOfEvents, WhereThreadsHaveNoProcessorSlowStopsAreANote) {
  for (int64_t i = 0; i < 10; ++i) {
    model().collections.pauses.push_back(
        {.at_ns = i * kSecond, .stopping_ns = 80'000'000, .total_ns = 80'000'000, .reason = 1});
  }
  EXPECT_EQ(Find().findings.at(0).kind, "slow-stops");
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 50e9;
  model().waits.ran_ns = 2e9;
  const Overview overview = Find();
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_TRUE(std::ranges::any_of(
      overview.findings, [](const Finding& finding) { return finding.kind == "slow-stops"; }));
}

TEST_F(OverviewOfEvents, AProcessThatHardlyGetsAProcessorIsNoAllClear) {
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 30e9;
  model().waits.ran_ns = 4.1e9;  // of the 20 that there are
  EXPECT_EQ(Find().doubt(), nullptr);
  model().waits.ran_ns = 3.9e9;
  ASSERT_NE(Find().doubt(), nullptr);
  EXPECT_EQ(Find().doubt()->kind, "no-processor");
}

}  // namespace
}  // namespace hindsight::analyzer
