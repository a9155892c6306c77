#include "analyzer/analyses/waits/wall_time.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/model/thread_snapshots.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kWallSecond = 1'000'000'000;
constexpr uint32_t kMainThread = 1, kOther = 2;
constexpr uint32_t kPid = 4242;

class WallTime : public testing::Test {
 protected:
  WallTime() {
    model_.facts.pid = kPid;
    model_.facts.waits_on = true;
    model_.threads.resize(4);
    model_.threads[kMainThread].os_id = kPid;
  }

  // Frames from the root inwards.
  StackId Stack(std::initializer_list<std::pair<const char*, const char*>> frames) {
    StackId stack = 0;
    for (const auto& [type, name] : frames) {
      Type entry;
      entry.name = model_.dictionaries.AddString(type);
      analyzer::Method method;
      method.name = model_.dictionaries.AddString(name);
      method.type = model_.dictionaries.AddType(entry);
      stack = model_.dictionaries.AddStack(stack, model_.dictionaries.AddMethod(method));
    }
    return stack;
  }
  StackId InLock() {
    return Stack(
        {{"Shop.Stock", "Run"}, {"Shop.Stock", "Take"}, {"System.Threading.Monitor", "Enter"}});
  }
  StackId Asleep() { return Stack({{"Shop.Clock", "Tick"}, {"System.Threading.Thread", "Sleep"}}); }

  struct Seen {
    uint32_t thread;
    StackId stack;
    uint64_t cpu_ns, ready_ns;
    ThreadRunState state = ThreadRunState::kSleeping;
  };
  // `lost`: threads that it should have had besides.
  void Snapshot(uint64_t at_ns, const std::vector<Seen>& threads, uint32_t lost = 0) {
    ThreadSnapshot head;
    head.number = ++snapshots_;
    head.at_ns = static_cast<int64_t>(at_ns);
    head.announced = static_cast<uint32_t>(threads.size()) + lost;
    tracker_.Begin(head);
    for (const Seen& seen : threads) {
      ThreadInSnapshot thread;
      thread.thread = seen.thread;
      thread.stack = seen.stack;
      thread.cpu_ns = seen.cpu_ns;
      thread.ready_ns = seen.ready_ns;
      thread.state = seen.state;
      tracker_.Add(snapshots_, thread);
    }
  }
  WallReport Analyze() {
    tracker_.Finish(model_.waits);
    return AnalyzeWallTime(model_);
  }
  static uint64_t In(const WallReport& report, WallState state) { return report.times[state]; }

  Model model_;
  ThreadSnapshotTracker tracker_;
  uint32_t snapshots_ = 0;
};

TEST_F(WallTime, OneSnapshotTellsNothing) {
  Snapshot(kWallSecond, {{kOther, InLock(), 1, 1}});
  EXPECT_FALSE(Analyze().is_seen());
}

TEST_F(WallTime, TheStatesOfAThreadAreAllOfItsTime) {
  Snapshot(kWallSecond, {{kOther, InLock(), 2 * kWallSecond, kWallSecond}});
  Snapshot(11 * kWallSecond, {{kOther, InLock(), 5 * kWallSecond, 2 * kWallSecond}});
  const WallReport report = Analyze();
  EXPECT_TRUE(report.is_seen());
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
  EXPECT_EQ(In(report, WallState::kNotSeen), 4 * kWallSecond);
  EXPECT_EQ(In(report, WallState::kSleep), 4 * kWallSecond);
}

TEST_F(WallTime, AWorkerIsIdleOnlyWithoutWork) {
  constexpr std::pair<const char*, const char*> kWorker = {
      "System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"};
  const StackId idle =
      Stack({kWorker, {"System.Threading.LowLevelLifoSemaphore", "WaitForSignal"}});
  // The JIT compiler has put the application's method into the pool's own.
  const StackId at_work = Stack({kWorker,
                                 {"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                                 {"System.Threading.Tasks.Task", "Wait"}});
  Snapshot(kWallSecond, {{kOther, idle, 1, 1}, {3, at_work, 1, 1}});
  Snapshot(2 * kWallSecond, {{kOther, idle, 1, 1}, {3, at_work, 1, 1}});
  const WallReport report = Analyze();
  EXPECT_EQ(In(report, WallState::kIdle), kWallSecond);
  EXPECT_EQ(In(report, WallState::kTask), kWallSecond);
  EXPECT_EQ(report.threads.at(0).thread, 3u);  // who was not idle comes first
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

// What waits and is not idle, with what ran between the first snapshot and the last.
TEST_F(WallTime, AsAProfileItIsRunningAndWaiting) {
  Snapshot(kWallSecond, {{3, Asleep(), kWallSecond, 1}, {kOther, InLock(), 1, 1}});
  Snapshot(11 * kWallSecond, {{3, Asleep(), 5 * kWallSecond, 1}, {kOther, InLock(), 1, 1}});
  const CallId call = model_.samples.calls.Add(0, model_.dictionaries.stack(Asleep()).method, -1);
  for (const uint64_t second : {0, 2, 3, 12}) {
    model_.samples.cpu.samples.push_back({.at_ns = static_cast<int64_t>(second * kWallSecond),
                                          .thread = 3,
                                          .call = call,
                                          .cpu_ns = 2 * kWallSecond});
  }
  tracker_.Finish(model_.waits);
  const auto total = [this](const std::string& thread) {
    return BuildStackProfile(model_, {.signal = ProfileSignal::kWall, .thread = thread}).totals[0];
  };
  model_.threads[kOther].os_id = 77;
  model_.threads[3].os_id = 78;
  EXPECT_EQ(total("77"), 10 * kWallSecond);
  EXPECT_EQ(total("78"), (6 + 4) * kWallSecond);
  EXPECT_EQ(total(""), 20 * kWallSecond);
}

TEST_F(WallTime, ASnapshotThatIsNotWholeIsNoEndOfATime) {
  Snapshot(kWallSecond, {{kOther, InLock(), 1, 1}});
  Snapshot(2 * kWallSecond, {{kOther, InLock(), 1, 1}}, 1);
  Snapshot(3 * kWallSecond, {{kOther, InLock(), 1, 1}});
  EXPECT_FALSE(Analyze().is_seen());
}

}  // namespace
}  // namespace hindsight::analyzer
