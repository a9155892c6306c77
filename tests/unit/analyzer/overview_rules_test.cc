// The thresholds of OverviewRules, each at its edge: the same recording on one side of it, and on
// the other. Those of CPU time have their own file; those of heap snapshots, and those that count
// things, are in the tests of their subjects.
#include "analyzer/analyses/overview/overview_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/model/runtime_work.h"
#include "tests/support/heap_builder.h"
#include "tests/unit/analyzer/overview_rules_test.h"

namespace hindsight::analyzer {
namespace {

// As where clients disconnect.
TEST_F(OverviewRulesTest, CancellationsAreAStormIfTheyTakeMuchMoreTime) {
  Throw("System.Threading.Tasks.TaskCanceledException", 100, 5'000'000);  // a twentieth
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_share_of_cancellations = 0.0501;
  EXPECT_FALSE(Finds("storm"));
  // Or in many requests.
  model().requests.finished = 400;
  EXPECT_TRUE(Finds("storm"));
  model().requests.finished = 401;
  EXPECT_FALSE(Finds("storm"));
}

TEST_F(OverviewRulesTest, AStormIsFrequentTakesTimeAndHasManyExceptions) {
  Throw("Shop.Lost", 100, 1'000'000);  // 10 a second, a hundredth of a thread
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_per_second = 9.99;
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_per_second = 10.01;
  EXPECT_FALSE(Finds("storm"));
  rules_ = {};
  rules_.storm_share = 0.0099;
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_share = 0.0101;
  EXPECT_FALSE(Finds("storm"));
  rules_ = {};
  rules_.storm_count = 100;
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_count = 101;
  EXPECT_FALSE(Finds("storm"));
}

// Awaits rethrow an exception: it is one exception, reported as thrown more often.
TEST_F(OverviewRulesTest, WhatAwaitsThrowAgainIsOneException) {
  Throw("Shop.Lost", 100, 1'000'000);
  ExceptionGroup& group = model().exceptions.groups.back();
  const auto hops = [&](Hop hop) -> uint64_t& { return group.throws[static_cast<size_t>(hop)]; };
  hops(Hop::kRestored) = 99;
  EXPECT_EQ(Find("storm").evidence.find("again"), std::string::npos);
  hops(Hop::kRestored) = 500;
  const Finding found = Find("storm");
  EXPECT_TRUE(found.title.starts_with("Shop.Lost: 10/s")) << found.title;
  EXPECT_TRUE(found.evidence.ends_with(
      "Each is thrown again 5.0 times on its way, by awaits and handlers; it is counted once."))
      << found.evidence;
}

// Half of the time that threads were runnable, they had no processor.
TEST_F(OverviewRulesTest, WhatExceptionsTakeDoesNotIncludeWaitsForAProcessor) {
  Throw("Shop.Lost", 100, 1'000'000);
  model().waits.ready_ns = model().waits.ran_ns = model().waits.ready_over_ns = 10e9;
  rules_.storm_ns_of_slowed = 1'000'000;
  EXPECT_FALSE(Finds("storm"));
  rules_.storm_share = 0.0051;
  EXPECT_FALSE(Finds("storm"));
  rules_.storm_share = 0.0049;
  EXPECT_TRUE(Finds("storm"));
  rules_.storm_ns_of_slowed = 900'000;  // each may have waited for longer than that
  EXPECT_FALSE(Finds("storm"));
}

TEST_F(OverviewRulesTest, ExceptionsOfAllPathsAreAStormFromSoManyASecondOn) {
  for (int i = 0; i < 20; ++i) Throw("Shop.Of" + std::to_string(i), 60, 500'000);
  rules_.storms_per_second = 119.9;
  EXPECT_TRUE(Finds("many-exceptions"));
  rules_.storms_per_second = 120.1;
  EXPECT_FALSE(Finds("many-exceptions"));
}

TEST_F(OverviewRulesTest, SoManyStormsAreReportedOneByOne) {
  for (const char* type : {"Shop.Lost", "Shop.Late", "Shop.Sold"}) Throw(type, 100, 1'000'000);
  rules_.storm_paths = 2;
  EXPECT_EQ(All("storm").size(), 2u);
  rules_.storm_paths = 3;
  EXPECT_EQ(All("storm").size(), 3u);
}

// A hundred waits of 100 ms on average, of a second at most: one thread.
TEST_F(OverviewRulesTest, WaitsForALockAreJudgedByThoseThatWaitAndByTheLongest) {
  constexpr uint64_t kGate = 0x10;
  const StackId stack = Stack({"Shop.Add", "System.Threading.Monitor.Enter"});
  model().waits.groups.push_back({.kind = WaitKind::kMonitor,
                                  .stack = stack,
                                  .count = 100,
                                  .total_ns = 10 * kSecondNs,
                                  .longest_ns = kSecondNs});
  model().waits.lock_stacks.push_back({.lock = kGate,
                                       .stack = stack,
                                       .kind = WaitKind::kMonitor,
                                       .count = 100,
                                       .total_ns = 10 * kSecondNs});
  model().waits.locks.push_back(
      {.kind = WaitKind::kMonitor, .lock = kGate, .count = 100, .waiters_at_most = 3});
  EXPECT_TRUE(Finds("convoy"));
  rules_.lock_waits = 101;
  EXPECT_FALSE(Finds("convoy"));
  rules_.lock_waits = 100;
  EXPECT_TRUE(Finds("convoy"));
  rules_.slow_convoy_threads = 1.01;
  EXPECT_FALSE(Finds("convoy"));
  rules_.slow_convoy_threads = 1;
  rules_.slow_wait_ns = 100'000'001;  // such waits are not slow
  EXPECT_FALSE(Finds("convoy"));
  rules_.convoy_threads = 1;
  EXPECT_TRUE(Finds("convoy"));
  rules_.convoy_threads = 1.01;
  EXPECT_FALSE(Finds("convoy"));
  rules_.slow_wait_ns = 100'000'000;
  rules_.convoy_waiters = 4;
  EXPECT_FALSE(Finds("convoy"));
  rules_.convoy_waiters = 3;
  model().facts.cpus = 10;
  EXPECT_TRUE(Finds("convoy"));
  rules_.convoy_threads_per_cpu = 0.101;
  EXPECT_FALSE(Finds("convoy"));

  rules_.hot_lock_threads = 1;
  rules_.busy_lock_threads = 1.01;
  rules_.hot_lock_mean_ns = 100'000'000;
  EXPECT_TRUE(Finds("hot-lock"));
  rules_.hot_lock_mean_ns = 100'000'001;
  EXPECT_FALSE(Finds("hot-lock"));
  rules_.busy_lock_threads = 1;  // however short they are
  EXPECT_TRUE(Finds("hot-lock"));
  rules_.hot_lock_mean_ns = 0;
  rules_.lock_waits = 101;
  EXPECT_FALSE(Finds("hot-lock"));
  rules_.lock_waits = 0;
  rules_.hot_lock_threads = 1.01;
  EXPECT_FALSE(Finds("hot-lock"));

  // A tenth of the recording.
  rules_.long_wait_of_short_ns = kSecondNs;
  rules_.long_wait_share = 0.1;
  EXPECT_EQ(All("long-wait").at(0).severity, Severity::kNote);
  rules_.long_wait_share = 0.101;
  EXPECT_FALSE(Finds("long-wait"));
  rules_.long_wait_share = 0.1;
  rules_.long_wait_of_short_ns = kSecondNs + 1;
  EXPECT_FALSE(Finds("long-wait"));
  rules_.long_wait_ns = kSecondNs;
  EXPECT_EQ(All("long-wait").at(0).severity, Severity::kWarning);
  rules_.long_wait_ns = kSecondNs + 1;
  EXPECT_FALSE(Finds("long-wait"));
}

TEST_F(OverviewRulesTest, WorkersThatBlockOnTasksAreAWarningFromSoManyOn) {
  model().waits.groups.push_back(
      {.kind = WaitKind::kWaitHandle,
       .stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                       "System.Threading.Tasks.Task.Wait"}),
       .count = 100,
       .total_ns = 3 * kSecondNs,  // 0.3 workers
       .longest_ns = kSecondNs});
  rules_.many_blocking_workers = 0.299;
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kWarning);
  rules_.many_blocking_workers = 0.301;
  EXPECT_TRUE(Finds("blocking-on-tasks"));
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kNote);
}

// A loop that accepts connections, for example.
TEST_F(OverviewRulesTest, OneWorkerThatBlocksAllTheTimeIsANote) {
  const StackId stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                               "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Mail.Accept",
                               "System.Threading.Tasks.Task.WaitAny"});
  WaitGroup group = {.kind = WaitKind::kWaitHandle, .stack = stack, .count = 100};
  group.total_ns = 8 * kSecondNs;
  model().waits.groups.push_back(group);
  for (int64_t i = 0; i < 100; ++i) {
    WaitRow row;
    row.at_ns = i * kSecondNs / 10;
    row.duration_ns = 80'000'000;
    row.stack = stack;
    model().waits.rows.push_back(row);
  }
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kNote);
  rules_.looping_worker = 0.801;
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kWarning);
  rules_.looping_worker = 0.8;
  model().waits.rows[50].duration_ns = 100'000'001;  // two at once
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kWarning);
}

TEST_F(OverviewRulesTest, ATypeIsReportedFromItsBytesItsShareAndSoManySamplesOn) {
  Allocate("Shop.Report.Join", "Shop.Line", kFewSamples - 1);
  EXPECT_FALSE(Finds("hot-type"));
  Allocate("Shop.Report.Join", "Shop.Line", 1);
  EXPECT_EQ(Find("hot-type").subject, "Shop.Line");
  Allocate("Shop.Report.Join", "Shop.Head", kFewSamples - 2);
  ASSERT_EQ(kFewSamples, 5u);
  rules_.much_of_allocations = 0.624;  // 5 of 8
  EXPECT_TRUE(Finds("hot-type"));
  rules_.much_of_allocations = 0.626;
  EXPECT_FALSE(Finds("hot-type"));
  rules_ = {};
  const double a_second = reports_.events->allocations.types.front().weight.amount / 10;
  rules_.much_allocated_per_second = a_second * 0.999;
  EXPECT_TRUE(Finds("hot-type"));
  rules_.much_allocated_per_second = a_second * 1.001;
  EXPECT_FALSE(Finds("hot-type"));
}

TEST_F(OverviewRulesTest, PausesAreAWarningFromAShareOfTheTimeOn) {
  Pause(10, 60'000'000, 2);  // 6 %
  Allocate("Shop.Report.Join", "Shop.Line", kFewSamples);
  for (const char* kind : {"blocking-gen2", "hot-type"}) {
    rules_.notable_pauses = 0.0599;
    EXPECT_EQ(Find(kind).severity, Severity::kWarning) << kind;
    rules_.notable_pauses = 0.0601;
    EXPECT_TRUE(Finds(kind)) << kind;
    EXPECT_EQ(Find(kind).severity, Severity::kNote) << kind;
  }
  Allocate("Shop.Report.Join", "Shop.Head", kFewSamples);  // half of the bytes each
  rules_.notable_pauses = 0.0299;
  EXPECT_EQ(Find("hot-type").severity, Severity::kWarning);
  rules_.notable_pauses = 0.0301;
  EXPECT_EQ(Find("hot-type").severity, Severity::kNote);
}

TEST_F(OverviewRulesTest, WithoutProcessorsTheCollectorIsSlowToo) {
  Pause(3, 300'000'000, 1);  // 9 %
  EXPECT_EQ(Find("young-collections").severity, Severity::kWarning);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 50e9;
  model().waits.ran_ns = 2e9;
  EXPECT_EQ(Find("young-collections").severity, Severity::kNote);
  rules_.slowed_young_pauses = 0.0899;
  EXPECT_EQ(Find("young-collections").severity, Severity::kWarning);
}

TEST_F(OverviewRulesTest, AProcessInWhichHardlyAnythingRanIsIdleOrHangs) {
  model().facts.cpu_on = true;
  model().facts.pid = 4242;
  model().facts.end = EndReason::kDurationOver;
  const auto stillness = [this] {
    All("");
    return FindAll(reports_, rules_).stillness;
  };
  EXPECT_EQ(stillness(),
            "Hardly anything ran in 10.00 s: the process is idle, or it hangs. While it runs, "
            "`hindsight-trigger snapshot 4242` shows what it waits for.");
  ThreadInSnapshot main;
  main.thread = scene_.Thread("");
  main.stack = Stack({"Shop.Program.Main", "System.Threading.Thread.Join"});
  model().threads[main.thread].os_id = 4242;
  model().waits.snapshots.emplace_back().threads = {main};
  EXPECT_TRUE(stillness().find(" Main waits for a thread to end in Shop.Program.Main. ") !=
              std::string::npos)
      << stillness();
  rules_.still_ns = 10 * static_cast<uint64_t>(kSecondNs) + 1;
  EXPECT_EQ(stillness(), "");
  rules_ = {};
  rules_.still_work_items = 0;
  EXPECT_EQ(stillness(), "");
  rules_ = {};
  model().requests.finished = 1;
  EXPECT_EQ(stillness(), "");
  model().requests.finished = 0;
  Burn({"Shop.Program.Main"}, 1);  // of 10 ms
  rules_.still_cores = 0.0011;
  EXPECT_NE(stillness(), "");
  rules_.still_cores = 0.0009;
  EXPECT_EQ(stillness(), "");
}

TEST_F(OverviewRulesTest, SlowGrowthIsUnseenInAShortRecordingUnlessItIsOfAShortRun) {
  const uint64_t length_ns = model().facts.length_ns();
  model().facts.end = EndReason::kDurationOver;
  const auto unseen_in = [&] {
    All("");
    return FindAll(reports_, rules_).growth_unseen_in_ns;
  };
  rules_.growth_shows_ns = length_ns;
  EXPECT_EQ(unseen_in(), 0u);
  rules_.growth_shows_ns = length_ns + 1;
  EXPECT_EQ(unseen_in(), length_ns);
  model().facts.end = EndReason::kProcessExit;
  EXPECT_EQ(unseen_in(), 0u);
  EXPECT_TRUE(IsShortRun(model(), rules_));
  rules_.growth_shows_ns = length_ns;
  EXPECT_FALSE(IsShortRun(model(), rules_));
  rules_.growth_shows_ns = length_ns + 1;
  model().requests.started = 1;
  EXPECT_FALSE(IsShortRun(model(), rules_));
}

TEST_F(OverviewRulesTest, PausesOfAShortRecordingAreANoteUpToAShareOfTheTime) {
  Pause(10, 200'000'000, 2);  // 20 % of 10 s
  rules_.much_of_short = 0.201;
  rules_.short_seconds = 10;
  EXPECT_EQ(Find("blocking-gen2").severity, Severity::kWarning);
  rules_.short_seconds = 10.001;
  EXPECT_EQ(Find("blocking-gen2").severity, Severity::kNote);
  rules_.much_of_short = 0.199;
  EXPECT_EQ(Find("blocking-gen2").severity, Severity::kWarning);
  // What they cost to allocate.
  Allocate("Shop.Report.Join", "Shop.Line", kFewSamples);
  rules_.collections_of_short = 0.199;
  EXPECT_EQ(Find("hot-type").severity, Severity::kWarning);
  rules_.collections_of_short = 0.201;
  EXPECT_EQ(Find("hot-type").severity, Severity::kNote);
  rules_.short_seconds = 10;
  EXPECT_EQ(Find("hot-type").severity, Severity::kWarning);
  rules_.short_seconds = 10.001;
  rules_.much_of_short = 0.9;
  model().collections = {};
  Pause(10, 200'000'000, 2, true);
  EXPECT_EQ(Find("induced").severity, Severity::kWarning);
}

TEST_F(OverviewRulesTest, WhoAllocatesLargeObjectsIsReportedFromAShareAndSoManySamplesOn) {
  Pause(20, 50'000'000, 2);
  for (CollectionRow& row : model().collections.rows) {
    row.detailed = true;
    row.type = CollectionType::kBackground;
    row.reason = 4;  // large objects were allocated
  }
  Allocate("Shop.Report.Join", "Shop.Line", kFewSamples - 1, AllocationHeap::kLarge);
  EXPECT_TRUE(Finds("large-objects"));
  EXPECT_EQ(Find("large-objects").subject, "");
  Allocate("Shop.Report.Join", "Shop.Line", 1, AllocationHeap::kLarge);
  EXPECT_EQ(Find("large-objects").subject, "Shop.Report.Join");
  Allocate("Shop.Mail.Send", "Shop.Line", 3, AllocationHeap::kLarge);
  rules_.most_of_large = 0.624;  // 5 of 8
  EXPECT_EQ(Find("large-objects").subject, "Shop.Report.Join");
  rules_.most_of_large = 0.626;
  rules_.many_of_large = 0.624;
  EXPECT_EQ(Find("large-objects").subject, "Shop.Report.Join");
  EXPECT_NE(Find("large-objects").evidence.find("the code of others"), std::string::npos);
  rules_.many_of_large = 0.626;
  EXPECT_EQ(Find("large-objects").subject, "");
  const auto is_rented = [&] {
    return Find("large-objects").evidence.find("ArrayPool.Rent") != std::string::npos;
  };
  Allocate("System.Buffers.SharedArrayPool`1.Rent", "System.Byte[]", 13, AllocationHeap::kLarge);
  rules_.most_of_large = 0.62;  // 13 of 21
  EXPECT_FALSE(is_rented());
  rules_.most_of_large = 0.61;
  EXPECT_TRUE(is_rented());
}

// However short they are.
TEST_F(OverviewRulesTest, FullCollectionsForLargeObjectsAreADoubtIfTheyAreFrequent) {
  const auto is_doubt = [&](uint32_t count) {
    model().collections = {};
    Pause(count, 1'000'000, 2);
    for (CollectionRow& row : model().collections.rows) {
      row.detailed = true;
      row.type = CollectionType::kBackground;
      row.reason = 4;  // large objects were allocated
    }
    return Finds("large-objects") && Find("large-objects").is_doubt;
  };
  const double seconds = SecondsOf(model());
  rules_.large_collections = 8;
  rules_.large_collections_per_second = 8 / seconds;
  EXPECT_TRUE(is_doubt(8));
  EXPECT_FALSE(is_doubt(7));
  rules_.large_collections = 9;
  EXPECT_FALSE(is_doubt(8));
  rules_.large_collections = 8;
  rules_.large_collections_per_second = 8.01 / seconds;
  EXPECT_FALSE(is_doubt(8));
}

// Four collections were requested, and each paused for twice as long as the snapshot did.
TEST_F(OverviewRulesTest, CollectionsAreTheSnapshotsUpToTheirNumberAndTheirPause) {
  Pause(4, 200'000'000, 2, true);
  testing::HeapBuilder heap;
  heap.facts().number = 1;
  heap.facts().pause_ns = 100'000'000;
  const std::unique_ptr<HeapModel> snapshot = heap.Build();
  const RootPaths paths(snapshot->graph);
  const Dominators dominators = ComputeDominators(snapshot->graph);
  const Reports reports =
      MakeReports(std::make_unique<EventReports>(model()),
                  std::make_unique<HeapReports>(*snapshot, paths, dominators, nullptr));
  const auto is_reported = [&] {
    const Overview overview = FindAll(reports, rules_);
    return std::ranges::any_of(overview.findings,
                               [](const Finding& finding) { return finding.kind == "induced"; });
  };
  rules_.collections_of_snapshot = 4;
  rules_.pauses_of_snapshot = 2;
  EXPECT_FALSE(is_reported());
  rules_.collections_of_snapshot = 3;
  EXPECT_TRUE(is_reported());
  rules_.collections_of_snapshot = 4;
  rules_.pauses_of_snapshot = 1;
  EXPECT_TRUE(is_reported());
}

// Ten of a hundred requests of each route fail.
TEST_F(OverviewRulesTest, RoutesThatFailAreReportedOneByOneFromSoManyFailuresOn) {
  for (const char* route : {"/a", "/b", "/c", "/d"}) {
    for (const auto& [status, count] : {std::pair("200", 90), std::pair("500", 10)}) {
      RequestKind& kind = model().requests.kinds.emplace_back();
      kind.tags = std::string("http.response.status_code=") + status + ",http.route=" + route;
      kind.count = static_cast<uint64_t>(count);
    }
  }
  EXPECT_EQ(All("failing-route").size(), 3u);
  EXPECT_EQ(All("failing-route")[0].evidence, "They ended with 500. 4 routes fail.");
  rules_.failed_routes_reported = 4;
  EXPECT_EQ(All("failing-route").size(), 4u);
  rules_.failed_requests = 11;
  EXPECT_FALSE(Finds("failing-route"));
  rules_.failed_requests = 10;
  rules_.failed_route_share = 0.101;
  EXPECT_FALSE(Finds("failing-route"));
  rules_.failed_route_share = 0.1;
  EXPECT_TRUE(Finds("failing-route"));
}

TEST_F(OverviewRulesTest, CallsThatFailAreReportedByServer) {
  const auto call = [&](const std::string& ending, uint64_t count) {
    RequestKind& kind = model().requests.kinds.emplace_back();
    kind.side = RequestKind::Side::kMade;
    kind.tags = "http.request.method=GET,server.address=bank," + ending;
    kind.count = count;
  };
  call("http.response.status_code=200", 40);
  call("http.response.status_code=503,error.type=503", 6);
  call("error.type=connection_error", 4);
  // Not found, and no longer of interest.
  call("http.response.status_code=404,error.type=404", 30);
  call("error.type=System.Threading.Tasks.TaskCanceledException", 20);
  EXPECT_FALSE(Finds("failing-calls"));
  rules_.failed_calls_share = 0.1;
  const Finding found = Find("failing-calls");
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.subject, "bank");
  EXPECT_EQ(found.title, "Calls to bank fail: 10 of 100 (10.0 %)");
  EXPECT_EQ(found.evidence, "Most of them ended with 503.");
  rules_.failed_calls = 11;
  EXPECT_FALSE(Finds("failing-calls"));
}

TEST_F(OverviewRulesTest, WorkersThatBlockOnTasksAreANoteWhereThePoolAddsSome) {
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  model().waits.adjustments.assign(PoolRules{}.some_blocked, added);
  model().waits.starvations = 1;
  Finding finding = Find("strained");
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_EQ(finding.title,
            "Thread pool workers block on tasks: the pool made up for that 20 times");
  EXPECT_NE(finding.evidence.find("`locks.task_waits=on` records where they block."),
            std::string::npos)
      << finding.evidence;
  // That was recorded: it is reported separately, if it is significant.
  model().waits.groups.push_back(
      {.kind = WaitKind::kTask,
       .stack = Stack({"Shop.Cart.Add", "System.Threading.Tasks.Task.Wait"}),
       .count = 1,
       .total_ns = 1000});
  EXPECT_EQ(Find("strained").evidence.find("task_waits"), std::string::npos);
  // If it is known which method blocks, that is reported: once.
  model().waits.groups.push_back(
      {.kind = WaitKind::kTask,
       .stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                       "System.Threading.Tasks.Task.Wait"}),
       .count = rules_.blocking_waits,
       .total_ns = 1'000'000'000});
  finding = Find("blocking-on-tasks");
  EXPECT_EQ(finding.subject, "Shop.Cart.Load");
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_NE(finding.evidence.find("The pool made up for that 20 times"), std::string::npos)
      << finding.evidence;
  EXPECT_FALSE(Finds("strained"));
  model().waits.adjustments.resize(PoolRules{}.many_blocked, added);
  EXPECT_EQ(Find("blocking-on-tasks").severity, Severity::kWarning);
  EXPECT_FALSE(Finds("strained"));
  model().waits.groups.pop_back();
  model().waits.adjustments.resize(PoolRules{}.some_blocked - 1);
  EXPECT_EQ(Find("strained").title, "The runtime detected thread pool starvation 1 time");
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ran_ns = 2e9;
  model().waits.ready_ns = 20e9;  // it is the processors
  EXPECT_FALSE(Finds("strained"));
}

// The pool reported starvation, and its workers block; but some work was completed each second.
TEST_F(OverviewRulesTest, OfAPoolWithoutAStallNoneIsReported) {
  for (int64_t i = 0; i < 4; ++i) {
    model().waits.samples.push_back({i * kSecondNs, 2, 100, static_cast<uint64_t>(i)});
  }
  model().facts.last_ns = 4 * kSecondNs;
  model().waits.starvations = PoolRules{}.many_starvations;
  ThreadInSnapshot wall_site;
  wall_site.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                           "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                           "System.Threading.Tasks.Task.Wait"});
  wall_site.state = ThreadRunState::kSleeping;
  ThreadSnapshot snapshot;
  snapshot.threads = {wall_site, wall_site};
  model().waits.snapshots.push_back(snapshot);
  const Finding without = Find("strained");
  EXPECT_EQ(without.title,
            "The runtime detected thread pool starvation 3 times, and workers block");
  EXPECT_EQ(without.evidence,
            "At most 100 work items were queued; 2 of 2 workers were blocked, all in "
            "Shop.Cart.Load, in System.Threading.Tasks.Task.Wait.");
  // One that stood still for less than starvation takes is reported.
  model().facts.last_ns = 4 * kSecondNs + kSecondNs / 2;
  EXPECT_NE(Find("strained").evidence.find(", and at most 400.0 ms passed without progress;"),
            std::string::npos)
      << Find("strained").evidence;
}

}  // namespace
}  // namespace hindsight::analyzer
