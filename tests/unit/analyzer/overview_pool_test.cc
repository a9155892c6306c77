// Findings about the thread pool, and workers that block on tasks.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/waits/pool_report.h"
#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

TEST_F(OverviewOfEvents, WorkersThatBlockOnTasksAreKnownByTheirPlace) {
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
  // A dedicated thread may block as long as it likes.
  group.count = rules.blocking_waits;
  group.stack = Stack({"Shop.Cart.Load", "System.Threading.Tasks.Task.Wait"});
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, APoolWithALongQueueIsNotCalledHealthy) {
  const auto verdict = [this](uint64_t queued) {
    model().waits.samples = {
        {.at_ns = 0, .workers = 3},
        {.at_ns = kSecond, .workers = 3, .queue_length = queued, .completed = 9},
        {.at_ns = 2 * kSecond, .workers = 3, .completed = 900}};
    return PoolText(AnalyzePool(model()), {});
  };
  EXPECT_NE(verdict(30).find("Healthy: no starvation."), std::string::npos);
  EXPECT_NE(verdict(31).find("much of it was queued at times"), std::string::npos) << verdict(31);
}

// A host that stops its services one after the other, of which one waits for its thread.
TEST_F(OverviewOfEvents, AServiceThatBlocksTheShutdownIsReported) {
  const auto look = [this](const std::string& service) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = 8 * kSecond;
    ThreadInSnapshot thread;
    thread.thread = 1;
    thread.stack = Stack({"Microsoft.Extensions.Hosting.Internal.Host.StopAsync", service,
                          "System.Threading.Thread.Join"});
    thread.unchanged_since_ns = snapshot.at_ns - 9 * kSecond;
    snapshot.threads.push_back(thread);
    model().waits.snapshots = {std::move(snapshot)};
    model().waits.snapshot_count = 1;
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "slow-shutdown"; });
    return found;
  };
  std::vector<Finding> found = look("Shop.Mail.StopAsync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].title, "The host is stopping, and waits for Shop.Mail.StopAsync");
  EXPECT_TRUE(look("Shop.Mail.StartAsync").empty());
  model().facts.end = EndReason::kBrokeOff;
  EXPECT_EQ(look("Shop.Mail.StopAsync").at(0).severity, Severity::kWarning);
}

// The runtime calls handlers of SIGTERM and SIGINT on a thread of its own.
TEST_F(OverviewOfEvents, AHostThatEndsSlowlyAfterASignalIsReported) {
  Dictionaries& dictionaries = model().dictionaries;
  ThreadInfo handler;
  handler.name = dictionaries.AddString(".NET Signal Handler");
  handler.has_start = true;
  const auto ends = [&](EndReason reason, uint64_t later_ns) {
    model().facts.end = reason;
    handler.start_ns = model().facts.last_ns - static_cast<int64_t>(later_ns);
    model().threads = {handler};
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "slow-shutdown"; });
    return found;
  };
  const OverviewRules rules;
  EXPECT_TRUE(ends(EndReason::kBrokeOff, rules.slow_end_ns).empty());  // it may go on as it likes
  Module host;
  host.path = dictionaries.AddString("/app/Microsoft.Extensions.Hosting.dll");
  dictionaries.AddModule(host);
  const std::vector<Finding> found = ends(EndReason::kBrokeOff, rules.killed_slow_end_ns);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "The host was to stop, and still ran 5.00 s later");
  EXPECT_TRUE(ends(EndReason::kBrokeOff, rules.killed_slow_end_ns - 1).empty());
  EXPECT_EQ(ends(EndReason::kStopped, rules.slow_end_ns).at(0).severity, Severity::kWarning);
  EXPECT_TRUE(ends(EndReason::kStopped, rules.slow_end_ns - 1).empty());
  EXPECT_EQ(ends(EndReason::kProcessExit, rules.slow_end_ns).at(0).severity, Severity::kNote);
  model().facts.end = EndReason::kProcessExit;
  EXPECT_EQ(EndClause(model()), "ended with the process, 10.00 s after SIGTERM or SIGINT");
}

// The JIT compiler puts a handler of yours into the framework's method that calls it.
TEST_F(OverviewOfEvents, WorkThatIsInlinedIntoTheFrameworkIsReportedWithItsMethod) {
  const std::string caller = "Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke";
  const auto wait = [&](std::vector<std::string> inner, uint64_t count, int64_t total_ns) {
    std::vector<std::string> stack = {
        "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
        "System.Threading.ThreadPoolWorkQueue.Dispatch", caller};
    stack.insert(stack.end(), inner.begin(), inner.end());
    stack.emplace_back("System.Threading.Tasks.Task.Wait");
    model().waits.groups.push_back({.kind = WaitKind::kWaitHandle,
                                    .stack = Stack(stack),
                                    .count = count,
                                    .total_ns = static_cast<uint64_t>(total_ns),
                                    .longest_ns = static_cast<uint64_t>(kSecond)});
  };
  wait({}, 900, 100 * kSecond);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, caller);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_TRUE(overview.findings[0].title.starts_with("Code that the JIT compiler has put into " +
                                                     std::string(caller) + " blocks"))
      << overview.findings[0].title;

  wait({"Shop.Program.Show", "Shop.Cart.Load"}, 50, 5 * kSecond);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Load");
  EXPECT_NE(overview.findings[0].title.find("11 threads on average"), std::string::npos)
      << overview.findings[0].title;
  EXPECT_NE(overview.findings[0].evidence.find("950 waits"), std::string::npos);
  EXPECT_NE(overview.findings[0].evidence.find("900 of them in " + caller), std::string::npos)
      << overview.findings[0].evidence;

  wait({"Shop.Bills.Print"}, 40, kSecond);  // it may be the work of either
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 3u);
  EXPECT_EQ(overview.findings[0].subject, caller);
  EXPECT_EQ(overview.findings[1].subject, "Shop.Cart.Load");
  EXPECT_EQ(overview.findings[2].subject, "Shop.Bills.Print");
}

// The pool adds workers, so work gets done: it is not starved, but not well either.
TEST_F(OverviewOfEvents, WorkersThatSleepInMostLooksAreReportedThoughThePoolGetsItsWorkDone) {
  const OverviewRules rules;
  for (int i = 0; i < 10; ++i) {
    model().waits.samples.push_back(
        {i * kSecond, 20, static_cast<uint64_t>(i % 2), static_cast<uint64_t>(1000 * i)});
  }
  const auto worker = [&](const std::vector<std::string>& frames) {
    std::vector<std::string> stack = {
        "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
        "System.Threading.ThreadPoolWorkQueue.Dispatch"};
    stack.insert(stack.end(), frames.begin(), frames.end());
    ThreadInSnapshot thread;
    thread.stack = Stack(stack);
    thread.state = ThreadRunState::kSleeping;
    return thread;
  };
  const ThreadInSnapshot sleeps = worker({"Shop.Rules.OnPublish", "System.Threading.Thread.Sleep"});
  const ThreadInSnapshot waits =
      worker({"Shop.Rules.Next", "System.Threading.ManualResetEventSlim.Wait"});
  const ThreadInSnapshot works = worker({"Shop.Rules.Apply"});
  const auto look = [&](const ThreadInSnapshot& thread, uint64_t count, uint64_t at_work,
                        uint64_t looks) {
    model().waits.snapshots.clear();
    for (uint64_t i = 0; i < looks; ++i) {
      ThreadSnapshot& snapshot = model().waits.snapshots.emplace_back();
      snapshot.at_ns = static_cast<int64_t>(i) * kSecond;
      snapshot.threads.assign(count, thread);
      snapshot.threads.insert(snapshot.threads.end(), at_work, works);
    }
    return Find();
  };
  Overview overview = look(sleeps, rules.blocked_workers, rules.blocked_workers, 3);
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].signal, Signal::kPool);
  EXPECT_EQ(overview.findings[0].title,
            "8.0 of 16 busy thread pool workers sleep in Shop.Rules.OnPublish, on average");
  EXPECT_EQ(
      overview.findings[0].evidence,
      "In 3 of 3 thread snapshots. The pool had up to 20 workers, with at most 1 work item "
      "queued. A worker that blocks does no other work: `await Task.Delay` would release it.");
  // Fewer than half of those at work, or too few looks.
  EXPECT_EQ(
      look(sleeps, rules.blocked_workers, rules.blocked_workers + 1, 3).findings.at(0).severity,
      Severity::kNote);
  EXPECT_TRUE(look(sleeps, rules.blocked_workers, 0, rules.blocking_looks - 1).findings.empty());
  EXPECT_EQ(look(sleeps, rules.sleeping_workers, 0, 3).findings.at(0).severity, Severity::kNote);
  // One that always sleeps may be all that does its work.
  EXPECT_EQ(look(sleeps, 1, 0, 3).findings.at(0).severity, Severity::kNote);
  look(sleeps, rules.sleeping_workers, 0, 4);
  model().waits.snapshots[0].threads.resize(1, works);
  model().waits.snapshots[0].threads[0] = works;
  EXPECT_TRUE(Find().findings.empty());
  // Consumers that wait for work may be many.
  EXPECT_EQ(look(waits, rules.blocked_workers, 0, 3).findings.at(0).severity, Severity::kNote);
  EXPECT_TRUE(look(waits, rules.blocked_workers - 1, 0, 3).findings.empty());
  // A timer that does not wait for its callback.
  const std::string overlaps = "are in callbacks of timers";
  const ThreadInSnapshot polls = worker({"System.Threading.TimerQueueTimer.Fire", "Shop.Rules.Poll",
                                         "System.Threading.Thread.Sleep"});
  EXPECT_NE(look(polls, 2, 0, 3).findings.at(0).evidence.find("Up to 2 at once " + overlaps),
            std::string::npos);
  EXPECT_EQ(look(polls, 1, 0, 3).findings.at(0).evidence.find(overlaps), std::string::npos);
  // Most looks do not show them.
  look(sleeps, 2 * rules.blocked_workers, 0, 3);
  model().waits.snapshots.resize(7);
  EXPECT_TRUE(Find().findings.empty());
  model().waits.snapshots.resize(6);
  EXPECT_EQ(Find().findings.size(), 1u);
}

// A full queue, or a pool of connections. A worker that waits for work in the same way does so
// outside of requests.
TEST_F(OverviewOfEvents, RequestsThatWaitForASemaphoreAreReported) {
  const OverviewRules rules;
  model().waits.groups.push_back(
      {.kind = WaitKind::kWaitHandle,
       .stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", kServer, "Shop.Audit.Log",
                       "System.Threading.SemaphoreSlim.Wait"}),
       .count = rules.blocking_waits,
       .total_ns = 5 * kSecond / 2,  // 0.25 threads
       .longest_ns = kSecond / 2});
  WaitGroup& group = model().waits.groups.back();
  const std::vector<Finding> found = Find().findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "blocked-requests");
  EXPECT_EQ(found[0].signal, Signal::kPool);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title,
            "Requests wait for a semaphore in Shop.Audit.Log: 0.2 threads on average");
  group.total_ns -= 1;
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  group.total_ns = kSecond / 2 - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.total_ns = 5 * kSecond;
  group.count = rules.blocking_waits - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.count = 1000;
  // The JIT compiler has put the call into its caller.
  group.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", kServer, "Shop.Pdf.Make"});
  EXPECT_EQ(Find().findings.at(0).title,
            "Requests wait for a wait handle in Shop.Pdf.Make: 0.5 threads on average");
  group.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                       "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Audit.Next",
                       "System.Threading.SemaphoreSlim.Wait"});
  EXPECT_TRUE(Find().findings.empty());
}

// The pool adds workers before its queue stands still.
TEST_F(OverviewOfEvents, WorkThatWaitsBecauseWorkersBlockIsAWarningThoughItMoves) {
  for (int i = 0; i <= 10; ++i) {
    model().waits.samples.push_back({i * kSecond, 8, 10, static_cast<uint64_t>(100 * i)});  // 0.1 s
  }
  const auto thread = [&](const std::string& inside, ThreadRunState state) {
    ThreadInSnapshot worker;
    worker.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                          "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Fan.Go", inside});
    worker.state = state;
    return worker;
  };
  for (int i = 0; i < 2; ++i) {
    ThreadSnapshot& snapshot = model().waits.snapshots.emplace_back();
    snapshot.at_ns = i * kSecond;
    snapshot.threads = {thread("System.Threading.Thread.Sleep", ThreadRunState::kSleeping),
                        thread("Shop.Fan.Work", ThreadRunState::kRunning)};
  }
  const std::vector<Finding> found = Find().findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].subject, "Shop.Fan.Go");
  EXPECT_EQ(found[0].title,
            "Thread pool workers block: a work item waits 100.0 ms for one on average");
  model().waits.snapshots[0].threads.push_back(
      thread("Shop.Fan.Work", ThreadRunState::kRunning));  // 2 of 5
  EXPECT_TRUE(Find().findings.empty());
  model().waits.snapshots[0].threads.pop_back();
  for (PoolSampleInfo& sample : model().waits.samples) sample.queue_length = 9;
  EXPECT_TRUE(Find().findings.empty());
}

TEST_F(OverviewOfEvents, AStarvedPoolIsCritical) {
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  ThreadSnapshot snapshot;
  snapshot.at_ns = kSecond;
  ThreadInSnapshot wall_site;
  wall_site.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                           "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                           "System.Threading.Tasks.Task.Wait"});
  wall_site.state = ThreadRunState::kSleeping;
  snapshot.threads = {wall_site, wall_site};
  model().waits.snapshots.push_back(std::move(snapshot));
  const Overview overview = Find();
  ASSERT_FALSE(overview.findings.empty());
  EXPECT_EQ(overview.findings[0].severity, Severity::kCritical);
  EXPECT_EQ(overview.findings[0].kind, "starved");
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Load");
}

TEST_F(OverviewOfEvents, FurtherPlacesThatHoldUpAStarvedPoolAreReportedEach) {
  const OverviewRules rules;
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  const auto blocked = [&](const std::string& method) {
    ThreadInSnapshot wall_site;
    wall_site.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                             "System.Threading.ThreadPoolWorkQueue.Dispatch", method,
                             "System.Threading.Tasks.Task.Wait"});
    wall_site.state = ThreadRunState::kSleeping;
    return wall_site;
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
  const auto reported = [&] {
    std::vector<std::string> titles;
    for (const Finding& finding : Find().findings) {
      if (finding.kind == "blocked-workers") titles.push_back(finding.title);
    }
    return titles;
  };
  EXPECT_TRUE(reported().empty());  // 8 of 87 are less than a tenth
  std::vector<ThreadInSnapshot>& threads = model().waits.snapshots[0].threads;
  threads.erase(threads.begin(), threads.begin() + 8);
  EXPECT_EQ(reported(),
            std::vector<std::string>{"8 of 79 workers of the thread pool block in Shop.Stock.Now"});
}

// In the first snapshot the work is inlined into the pool's own method, the second one names it.
TEST_F(OverviewOfEvents, AStarvedPoolIsNamedByTheLookThatShowsYourMethod) {
  for (int i = 0; i < 4; ++i) model().waits.samples.push_back({i * kSecond, 2, 100, 7});
  const auto look = [&](const std::vector<std::string>& stack, size_t threads) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = kSecond;
    ThreadInSnapshot wall_site;
    wall_site.stack = Stack(stack);
    wall_site.state = ThreadRunState::kSleeping;
    snapshot.threads.assign(threads, wall_site);
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
  ThreadInSnapshot wall_site;
  wall_site.state = ThreadRunState::kSleeping;
  for (const char* method : {"Shop.Cart.Load", "Shop.Cart.Price", "Shop.Cart.Show"}) {
    wall_site.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                             "System.Threading.ThreadPoolWorkQueue.Dispatch", method,
                             "System.Threading.Tasks.Task.Wait"});
    snapshot.threads.push_back(wall_site);
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
            "The runtime detected thread pool starvation 3 times, and workers block");
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

}  // namespace
}  // namespace hindsight::analyzer
