#include "analyzer/analyses/waits/wall_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/analyses/waits/time_shares.h"
#include "analyzer/model/wait_spans.h"
#include "tests/unit/analyzer/wall_recording.h"

namespace hindsight::analyzer {
namespace {

using WallTime = WallRecording;

TEST_F(WallTime, OneSnapshotShowsNothing) {
  Snapshot(kWallSecond, {{kOther, InLock(), 1, 1}});
  EXPECT_FALSE(Analyze().is_seen);
}

// It yields the processor before it goes to sleep, and nothing waits for it.
TEST_F(WallTime, AWorkerWithoutWorkIsIdleEvenIfItCouldRun) {
  const StackId worker =
      Stack({{"System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"},
             {"System.Threading.LowLevelLifoSemaphore", "Wait"}});
  Snapshot(kWallSecond, {{kOther, worker, kWallSecond, kWallSecond}});
  Snapshot(5 * kWallSecond, {{kOther, worker, 2 * kWallSecond, 4 * kWallSecond}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kReady), 0u);
  EXPECT_EQ(In(report, WallState::kIdle), 3 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kRunning), 1 * kWallSecond);
}

TEST_F(WallTime, TheStatesOfAThreadAreAllOfItsTime) {
  Snapshot(kWallSecond, {{kOther, InLock(), 2 * kWallSecond, kWallSecond}});
  Snapshot(11 * kWallSecond, {{kOther, InLock(), 5 * kWallSecond, 2 * kWallSecond}});
  const WallReport report = Analyze();
  EXPECT_TRUE(report.is_seen);
  EXPECT_EQ(report.times.all(), 10 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kRunning), 3 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kReady), 1 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kLock), 6 * kWallSecond);
  ASSERT_EQ(report.places.size(), 1u);
  EXPECT_EQ(report.names.Display(report.places[0].site), "Shop.Stock.Take");
  EXPECT_EQ(report.places[0].proved_ns, 0u);  // it ran in between
}

TEST_F(WallTime, WhatDidNotRunIsProved) {
  Snapshot(kWallSecond, {{kOther, InLock(), kWallSecond, 1}});
  Snapshot(11 * kWallSecond, {{kOther, InLock(), kWallSecond, 1}});
  const WallReport report = Analyze();
  ASSERT_EQ(report.places.size(), 1u);
  EXPECT_EQ(report.places[0].total_ns, 10 * kWallSecond);
  EXPECT_EQ(report.places[0].proved_ns, 10 * kWallSecond);
  EXPECT_EQ(report.threads.at(0).site, report.places[0].site);
}

TEST_F(WallTime, BothEndsStandForHalfOfATime) {
  Snapshot(kWallSecond, {{kOther, InLock(), kWallSecond, 1}});
  Snapshot(11 * kWallSecond, {{kOther, Asleep(), 3 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 4 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 4 * kWallSecond);
}

TEST_F(WallTime, WhereAThreadRanItDidNotWait) {
  Snapshot(kWallSecond, {{kOther, InLock(), kWallSecond, 1, ThreadRunState::kRunning}});
  Snapshot(11 * kWallSecond, {{kOther, Asleep(), 3 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 0u);
  EXPECT_EQ(In(report, WallState::kUnknown), 4 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 4 * kWallSecond);
}

TEST_F(WallTime, AWorkerIsIdleOnlyWithoutWork) {
  constexpr std::pair<const char*, const char*> kWorker = {
      "System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"};
  const StackId idle =
      Stack({kWorker, {"System.Threading.LowLevelLifoSemaphore", "WaitForSignal"}});
  // The JIT compiler has inlined the application's method into the pool's own.
  const StackId at_work = Stack({kWorker,
                                 {"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                                 {"System.Threading.Tasks.Task", "Wait"}});
  Snapshot(kWallSecond, {{kOther, idle, 1, 1}, {3, at_work, 1, 1}});
  Snapshot(2 * kWallSecond, {{kOther, idle, 1, 1}, {3, at_work, 1, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kIdle), kWallSecond);
  EXPECT_EQ(In(report, WallState::kTask), kWallSecond);
  EXPECT_EQ(report.threads.at(0).thread, 3u);  // threads that were not idle come first
}

TEST_F(WallTime, MainThatWaitsForTheEndIsIdle) {
  const StackId runs_host =
      Stack({{"Shop.Program", "Main"}, {"System.Threading.Tasks.Task", "Wait"}});
  Snapshot(kWallSecond, {{kMainThread, runs_host, 1, 1}, {kOther, runs_host, 1, 1}});
  Snapshot(2 * kWallSecond, {{kMainThread, runs_host, 1, 1}, {kOther, runs_host, 1, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kIdle), kWallSecond);
  EXPECT_EQ(In(report, WallState::kTask), kWallSecond);
}

TEST_F(WallTime, MainInALockIsNotIdle) {
  const StackId in_lock = Stack({{"Shop.Program", "Main"}, {"System.Threading.Monitor", "Enter"}});
  Snapshot(kWallSecond, {{kMainThread, in_lock, 1, 1}});
  Snapshot(2 * kWallSecond, {{kMainThread, in_lock, 1, 1}});
  EXPECT_EQ(In(Analyze(), WallState::kLock), kWallSecond);
}

TEST_F(WallTime, MainThatMovesOnDoesNotWaitForTheEnd) {
  const StackId runs_host =
      Stack({{"Shop.Program", "Main"}, {"System.Threading.Tasks.Task", "Wait"}});
  Snapshot(kWallSecond, {{kMainThread, runs_host, kWallSecond, 1}});
  Snapshot(11 * kWallSecond, {{kMainThread, runs_host, 2 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kTask), 9 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kIdle), 0u);
}

TEST_F(WallTime, MainThatSleepsOrReadsIsNotIdle) {
  const StackId reads = Stack({{"Shop.Program", "Main"}, {"System.IO.File", "ReadAllBytes"}});
  const StackId sleeps = Stack({{"Shop.Program", "Main"}, {"System.Threading.Thread", "Sleep"}});
  const StackId asks = Stack({{"Shop.Program", "Main"}, {"System.Console", "ReadLine"}});
  Snapshot(kWallSecond, {{kMainThread, reads, 1, 1}});
  Snapshot(2 * kWallSecond, {{kMainThread, reads, 1, 1}});
  Snapshot(3 * kWallSecond, {{kMainThread, sleeps, 2, 1}});
  Snapshot(5 * kWallSecond, {{kMainThread, sleeps, 2, 1}});
  Snapshot(6 * kWallSecond, {{kMainThread, asks, 3, 1}});
  Snapshot(10 * kWallSecond, {{kMainThread, asks, 3, 1}});
  const WallReport report = Analyze();
  EXPECT_NEAR(static_cast<double>(In(report, WallState::kIdle)), 4.5e9, 10);
  EXPECT_NEAR(static_cast<double>(In(report, WallState::kSleep)), 3e9, 10);
  EXPECT_NEAR(static_cast<double>(In(report, WallState::kNative)), 1.5e9, 10);
}

TEST_F(WallTime, AThreadOfTheFrameworkInALockIsNotIdle) {
  const StackId stack = Stack(
      {{"System.Threading.TimerQueue", "FireNextTimers"}, {"System.Threading.Monitor", "Enter"}});
  Snapshot(kWallSecond, {{kOther, stack, 1, 1}});
  Snapshot(2 * kWallSecond, {{kOther, stack, 1, 1}});
  EXPECT_EQ(In(Analyze(), WallState::kLock), kWallSecond);
}

// Both snapshots found it in a lock, but only 2 s of waiting were recorded: 7 s are unknown.
TEST_F(WallTime, EventsAreExactAndSnapshotsInThemShowNothingElse) {
  Snapshot(kWallSecond, {{kOther, InLock(), kWallSecond, 1}});
  Wait(kOther, WaitKind::kMonitor, InLock(), 0.5, 2, 0x10, 3);
  Wait(kOther, WaitKind::kMonitor, InLock(), 10, 12, 0x10, 3);
  Snapshot(11 * kWallSecond, {{kOther, InLock(), 2 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 2 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kRunning), 1 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kUnknown), 7 * kWallSecond);
  ASSERT_EQ(report.places.size(), 1u);
  EXPECT_EQ(report.places[0].proved_ns, 2 * kWallSecond);
}

// The other snapshot shows what it did when it was not in the lock.
TEST_F(WallTime, TheOtherSnapshotReportsTheRest) {
  Snapshot(kWallSecond, {{kOther, InLock(), kWallSecond, 1}});
  Wait(kOther, WaitKind::kMonitor, InLock(), 0.5, 2);
  Snapshot(11 * kWallSecond, {{kOther, Asleep(), 2 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 1 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 8 * kWallSecond);
}

TEST_F(WallTime, OfWaitsWithinEachOtherTheInnermostCounts) {
  const StackId pulsed = Stack({{"Shop.Queue", "Next"}, {"System.Threading.Monitor", "Wait"}});
  Snapshot(0, {{kOther, 0, 1, 1, ThreadRunState::kRunning}});
  Wait(kOther, WaitKind::kMonitorWait, pulsed, 1, 9);
  Wait(kOther, WaitKind::kMonitor, pulsed, 7, 9, 0x10);
  Snapshot(10 * kWallSecond, {{kOther, 0, 1 + 2 * kWallSecond, 1, ThreadRunState::kRunning}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kSignal), 6 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kLock), 2 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kRunning), 2 * kWallSecond);
}

// Task.Wait may run the task on the thread that waits.
TEST_F(WallTime, AThreadMayRunInAWaitForATask) {
  const StackId waits = Stack({{"Shop.Mail", "Send"}, {"System.Threading.Tasks.Task", "Wait"}});
  Snapshot(0, {{kOther, Asleep(), 1, 1}});
  Wait(kOther, WaitKind::kTask, waits, 0, 10);
  Snapshot(10 * kWallSecond, {{kOther, Asleep(), 1 + 4 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kRunning), 4 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kTask), 6 * kWallSecond);
  EXPECT_EQ(report.places.at(0).proved_ns, 6 * kWallSecond);
}

TEST_F(WallTime, AWaitWithoutAnEndLastsUntilTheThreadWaitsElsewhere) {
  Snapshot(0, {{kOther, 0, 0, 0}, {3, 0, 0, 0}});
  Wait(kOther, WaitKind::kMonitor, InLock(), 2, {});
  Wait(3, WaitKind::kMonitor, InLock(), 1, {});
  Wait(3, WaitKind::kWaitHandle, Asleep(), 4, 5);
  Snapshot(10 * kWallSecond, {{kOther, InLock(), 0, 0}, {3, 0, 0, 0}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), (8 + 3) * kWallSecond);
}

TEST_F(WallTime, CountedWaitsCountExactly) {
  Snapshot(0, {{kOther, Asleep(), 1, 1}});
  waits_.OnCounted(WaitKind::kMonitor, InLock(), 0x10,
                   {.began = 5,
                    .total_ns = 3 * kWallSecond,
                    .longest_ns = kWallSecond,
                    .thread = kOther,
                    .at_ns = 8 * kWallSecond,
                    .interval_ns = 5 * kWallSecond});
  Snapshot(10 * kWallSecond, {{kOther, Asleep(), 1 + kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 3 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 6 * kWallSecond);
}

// A computing thread is stopped, a waiting one continues to wait, and the collecting one runs.
TEST_F(WallTime, APauseIsOfThoseThatWouldHaveRun) {
  Snapshot(0, {{kMainThread, 0, 1, 1, ThreadRunState::kRunning},
               {kOther, Asleep(), 1, 1},
               {3, 0, 1, 1, ThreadRunState::kRunning}});
  Stop(4, 2 * kWallSecond);
  Sample(3, 4.5, kWallSecond);
  Sample(3, 5.5, kWallSecond);
  Snapshot(10 * kWallSecond, {{kMainThread, 0, 1 + 8 * kWallSecond, 1, ThreadRunState::kRunning},
                              {kOther, Asleep(), 1, 1},
                              {3, 0, 1 + 10 * kWallSecond, 1, ThreadRunState::kRunning}});
  const WallReport report = Analyze();
  EXPECT_EQ(report.stopped_ns, 2 * kWallSecond);
  const auto of = [&report](ThreadIndex index) -> const WallTimes& {
    return std::find_if(report.threads.begin(), report.threads.end(),
                        [index](const WallThread& thread) { return thread.thread == index; })
        ->times;
  };
  EXPECT_EQ(of(kMainThread)[WallState::kRunning], 8 * kWallSecond);
  EXPECT_EQ(of(kMainThread)[WallState::kPaused], 2 * kWallSecond);
  EXPECT_EQ(of(kOther)[WallState::kSleep], 10 * kWallSecond);
  EXPECT_EQ(of(3)[WallState::kRunning], 10 * kWallSecond);
}

// Half of the time it ran: of the pause, half would have been running.
TEST_F(WallTime, OfOneThatRanHalfOfTheTimeHalfAPauseIs) {
  Snapshot(0, {{kOther, Asleep(), 1, 1}});
  Stop(4, 2 * kWallSecond);
  Snapshot(10 * kWallSecond, {{kOther, Asleep(), 1 + 4 * kWallSecond, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kPaused), 1 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kRunning), 4 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 5 * kWallSecond);
}

// It began and ended between two snapshots: only samples and events show it.
TEST_F(WallTime, AShortLifeIsKnownFromEventsAndSamples) {
  Snapshot(0, {{kMainThread, 0, 1, 1}});
  ThreadInfo& thread = model_.threads[kOther];
  thread.has_start = thread.has_end = true;
  thread.start_ns = 2 * kWallSecond;
  thread.end_ns = 8 * kWallSecond;
  Wait(kOther, WaitKind::kMonitor, InLock(), 3, 5);
  Sample(kOther, 6, kWallSecond);
  Snapshot(10 * kWallSecond, {{kMainThread, 0, 1, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 2 * kWallSecond);
  EXPECT_NEAR(static_cast<double>(In(report, WallState::kRunning)), 1e9, 2e7);
  EXPECT_EQ(report.times.all(), (10 + 6) * kWallSecond);
}

// The kernel's count for a thread that began in the recording covers its whole life.
TEST_F(WallTime, OneThatBeganIsCountedFromItsBeginning) {
  Snapshot(0, {{kMainThread, 0, 1, 1}});
  ThreadInfo& thread = model_.threads[kOther];
  thread.has_start = true;
  thread.start_ns = 4 * kWallSecond;
  Snapshot(10 * kWallSecond,
           {{kMainThread, 0, 1, 1}, {kOther, Asleep(), 2 * kWallSecond, kWallSecond}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kRunning), 2 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kReady), 1 * kWallSecond);
  EXPECT_GT(In(report, WallState::kSleep), 0u);
  EXPECT_EQ(report.times.all(), (10 + 6) * kWallSecond);
}

TEST_F(WallTime, WhatNothingReportsIsUnknown) {
  Snapshot(2 * kWallSecond, {{kOther, Asleep(), 1, 1}});
  Snapshot(6 * kWallSecond, {{kOther, Asleep(), 1, 1}});
  model_.facts.first_ns = 0;
  model_.facts.last_ns = 10 * kWallSecond;
  model_.threads[kOther].seen_alive = true;
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kSleep), (4 + 1 + 2) * kWallSecond);
  EXPECT_EQ(In(report, WallState::kUnknown), 3 * kWallSecond);
}

TEST_F(WallTime, AStretchOfTimeIsPartOfTheWhole) {
  Snapshot(0, {{kOther, Asleep(), 1, 1}});
  Wait(kOther, WaitKind::kMonitor, InLock(), 2, 6);
  Snapshot(10 * kWallSecond, {{kOther, Asleep(), 1 + kWallSecond, 1}});
  Finish();
  const auto seconds = static_cast<int64_t>(kWallSecond);
  const WallReport part = AnalyzeWallTime(model_, {.from_ns = 5 * seconds, .to_ns = 8 * seconds});
  EXPECT_EQ(In(part, WallState::kLock), kWallSecond);
  EXPECT_EQ(part.times.all(), 3 * kWallSecond);
  const WallReport before = AnalyzeWallTime(model_, {.to_ns = 5 * seconds});
  const WallReport after = AnalyzeWallTime(model_, {.from_ns = 5 * seconds});
  const WallReport whole = AnalyzeWallTime(model_);
  for (size_t i = 0; i < kWallStates; ++i) {
    EXPECT_EQ(before.times.ns[i] + after.times.ns[i], whole.times.ns[i]) << i;
  }
}

// What waits and is not idle, with what ran.
TEST_F(WallTime, AsAProfileItIsRunningAndWaiting) {
  Snapshot(kWallSecond, {{3, Asleep(), kWallSecond, 1}, {kOther, InLock(), 1, 1}});
  Snapshot(11 * kWallSecond, {{3, Asleep(), 5 * kWallSecond, 1}, {kOther, InLock(), 1, 1}});
  const CallId call = model_.samples.calls.Add(0, model_.dictionaries.stack(Asleep()).method, -1);
  for (const uint64_t second : {2, 3}) {
    model_.samples.cpu.samples.push_back({.at_ns = static_cast<int64_t>(second * kWallSecond),
                                          .thread = 3,
                                          .call = call,
                                          .cpu_ns = 2 * kWallSecond});
  }
  Finish();
  const auto total = [this](const std::string& thread, int64_t to_ns = INT64_MAX) {
    return BuildStackProfile(model_,
                             {.signal = ProfileSignal::kWall, .thread = thread, .to_ns = to_ns})
        .totals[0];
  };
  model_.threads[kOther].os_id = 77;
  model_.threads[3].os_id = 78;
  EXPECT_EQ(total("77"), 10 * kWallSecond);
  EXPECT_EQ(total("78"), (6 + 4) * kWallSecond);
  EXPECT_EQ(total(""), 20 * kWallSecond);
  EXPECT_EQ(total("77", 4 * static_cast<int64_t>(kWallSecond)), 3 * kWallSecond);
}

TEST_F(WallTime, ASnapshotThatIsNotWholeIsPassedOver) {
  Snapshot(kWallSecond, {{kOther, InLock(), 1, 1}});
  Snapshot(2 * kWallSecond, {{kOther, Asleep(), 1, 1}}, 1);
  Snapshot(3 * kWallSecond, {{kOther, InLock(), 1, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kLock), 2 * kWallSecond);
  EXPECT_EQ(report.places.at(0).proved_ns, 2 * kWallSecond);
}

// As long as there is room for each wait, and when there is not.
TEST(WaitSpansModel, ShorterWaitsBecomeSums) {
  WaitSpans spans(4);
  for (uint64_t i = 1; i <= 6; ++i) {
    spans.Add(WaitSpan{.at_ns = static_cast<int64_t>(i * 100),
                       .duration_ns = i,
                       .lock = 7,
                       .thread = 1,
                       .kind = WaitKind::kMonitor});
  }
  Waits waits;
  spans.Finish(waits);
  uint64_t total = 0;
  for (const WaitSpan& span : waits.spans) total += span.duration_ns;
  ASSERT_EQ(waits.span_sums.size(), 1u);
  EXPECT_EQ(waits.span_sums[0].total_ns, 1u + 2u);
  EXPECT_EQ(waits.span_sums[0].from_ns, 100);
  EXPECT_EQ(waits.span_sums[0].to_ns, 202);
  EXPECT_EQ(total, 3u + 4u + 5u + 6u);
}

TEST(TimeShares, NobodyGetsMoreThanItsRoom) {
  const std::vector<double> weights = {3, 1, 0};
  std::vector<uint64_t> room = {10, 100, 100}, given = {0, 0, 0};
  EXPECT_EQ(ShareOut(40, weights, room, given), 0u);
  EXPECT_EQ(given, (std::vector<uint64_t>{10, 30, 0}));
  EXPECT_EQ(ShareOut(100, weights, room, given), 30u);
  EXPECT_EQ(given, (std::vector<uint64_t>{10, 100, 0}));
}

}  // namespace
}  // namespace hindsight::analyzer
