#include "analyzer/analyses/waits/thread_lanes.h"

#include <string>

#include "analyzer/report/waits/wall_report.h"
#include "tests/unit/analyzer/wall_recording.h"

namespace hindsight::analyzer {
namespace {

class ThreadLanesTest : public WallRecording {
 protected:
  // "orders" runs, waits for a lock of thread 3, and is paused; thread 3 sleeps; Main waits for the
  // end.
  void Record() {
    model_.facts.started_unix_ns = 1;
    const StackId host = Stack({{"Shop.Program", "Main"}, {"System.Threading.Tasks.Task", "Wait"}});
    Snapshot(0, {{kMainThread, host, 1, 1},
                 {kOther, 0, 1, 1, ThreadRunState::kRunning},
                 {3, Asleep(), 1, 1}});
    Wait(kOther, WaitKind::kMonitor, InLock(), 2, 5, 0x10, 3);
    Stop(7, kWallSecond);
    Snapshot(10 * kWallSecond, {{kMainThread, host, 1, 1},
                                {kOther, 0, 1 + 6 * kWallSecond, 1, ThreadRunState::kRunning},
                                {3, Asleep(), 1, 1}});
    model_.threads[kOther].os_id = 77;
    model_.threads[3].os_id = 78;
    Finish();
  }
};

TEST_F(ThreadLanesTest, ALaneHasTheStatesInTheirOrder) {
  Record();
  const WallReport report = AnalyzeWallTime(model_, {.lane_parts = 10});
  ASSERT_TRUE(report.lanes);
  ASSERT_EQ(report.lanes->lanes.size(), 3u);
  const ThreadLane& orders = report.lanes->lanes[0];
  EXPECT_EQ(orders.thread, kOther);
  ASSERT_EQ(orders.runs.size(), 5u);
  const auto expect = [&](size_t at, WallState state, uint32_t first, uint32_t parts) {
    EXPECT_EQ(orders.runs[at].state, state) << at;
    EXPECT_EQ(orders.runs[at].first_part, first) << at;
    EXPECT_EQ(orders.runs[at].parts, parts) << at;
  };
  expect(0, WallState::kRunning, 0, 2);
  expect(1, WallState::kLock, 2, 3);
  expect(2, WallState::kRunning, 5, 2);
  expect(3, WallState::kPaused, 7, 1);
  expect(4, WallState::kRunning, 8, 2);
  EXPECT_EQ(orders.runs[1].times[WallState::kLock], 3 * kWallSecond);
  EXPECT_EQ(report.names.Display(orders.runs[1].site), "Shop.Stock.Take");
  EXPECT_EQ(orders.runs[1].lock, 0x10u);
  EXPECT_EQ(orders.runs[1].owner, 3u);
}

TEST_F(ThreadLanesTest, IdleThreadsComeLast) {
  Record();
  const WallReport report = AnalyzeWallTime(model_, {.lane_parts = 10});
  const auto& lanes = report.lanes->lanes;
  EXPECT_EQ(lanes[1].thread, 3u);
  EXPECT_FALSE(lanes[1].is_idle);
  EXPECT_EQ(lanes[2].thread, kMainThread);
  EXPECT_TRUE(lanes[2].is_idle);
}

// For any number of parts, even one that does not divide evenly, and for part of the time.
TEST_F(ThreadLanesTest, LanesAddUpToWallClockTime) {
  Record();
  for (const uint32_t parts : {1u, 7u, 10u, 333u}) {
    for (const int64_t from_ns : {int64_t{0}, int64_t{3'333'333'333}}) {
      const WallReport report = AnalyzeWallTime(model_, {.from_ns = from_ns, .lane_parts = parts});
      ASSERT_EQ(report.lanes->lanes.size(), report.threads.size());
      for (const WallThread& thread : report.threads) {
        for (const ThreadLane& lane : report.lanes->lanes) {
          if (lane.thread != thread.thread) continue;
          EXPECT_EQ(lane.times.ns, thread.times.ns) << parts;
          WallTimes runs;
          for (const LaneRun& run : lane.runs) {
            for (size_t i = 0; i < kWallStates; ++i) runs.ns[i] += run.times.ns[i];
          }
          EXPECT_EQ(runs.ns, thread.times.ns) << parts;
        }
      }
    }
  }
}

// Parts in which a thread does several things are not one run.
TEST_F(ThreadLanesTest, MixedPartsStandAlone) {
  Record();
  const WallReport report = AnalyzeWallTime(model_, {.lane_parts = 3});
  const ThreadLane& orders = report.lanes->lanes[0];
  ASSERT_EQ(orders.runs.size(), 3u);
  EXPECT_GT(orders.runs[0].times[WallState::kRunning], 0u);
  EXPECT_GT(orders.runs[0].times[WallState::kLock], 0u);
}

TEST_F(ThreadLanesTest, AsTextALaneIsALineOfSigns) {
  Record();
  WallTextOptions options;
  options.style.width = 100;
  const WallReport report = AnalyzeWallTime(model_, {.lane_parts = 20});
  const std::string text = WallText(report, options);
  EXPECT_NE(text.find("|####LLLLLL####PP####|"), std::string::npos) << text;
  EXPECT_NE(text.find("|zzzzzzzzzzzzzzzzzzzz|"), std::string::npos) << text;
  EXPECT_NE(text.find("|....................|"), std::string::npos) << text;
  EXPECT_NE(text.find("Shop.Stock.Take"), std::string::npos) << text;
  EXPECT_EQ(WallLaneParts({.width = 100}), 72u);
}

}  // namespace
}  // namespace hindsight::analyzer
