#include "analyzer/analyses/waits/pool_health.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace hindsight::analyzer {
namespace {

using Verdict = PoolReport::Verdict;
constexpr int64_t kSecond = 1'000'000'000;

class PoolHealth : public testing::Test {
 protected:
  MethodId Method(std::string_view type, std::string_view name) {
    analyzer::Method method;
    method.name = model_.dictionaries.AddString(name);
    Type entry;
    entry.name = model_.dictionaries.AddString(type);
    method.type = model_.dictionaries.AddType(entry);
    return model_.dictionaries.AddMethod(method);
  }
  // A worker's frames, followed by these, from the root inwards.
  StackId Worker(std::initializer_list<std::pair<const char*, const char*>> frames) {
    StackId stack = model_.dictionaries.AddStack(
        0, Method("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"));
    for (const auto& [type, name] : frames) {
      stack = model_.dictionaries.AddStack(stack, Method(type, name));
    }
    return stack;
  }
  StackId Blocked() {
    return Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                   {"Shop.Cart", "Load"},
                   {"System.Threading.Tasks.Task", "Wait"}});
  }
  StackId Idle() { return Worker({{"System.Threading.LowLevelLifoSemaphore", "WaitForSignal"}}); }
  StackId Computing() {
    return Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"}, {"Shop.Cart", "Price"}});
  }
  void Snapshot(std::initializer_list<StackId> stacks) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = kSecond;
    for (const StackId stack : stacks) {
      ThreadInSnapshot wall_site;
      wall_site.stack = stack;
      wall_site.state = ThreadRunState::kSleeping;
      snapshot.threads.push_back(wall_site);
    }
    model_.waits.snapshots.push_back(std::move(snapshot));
  }
  void Sample(int64_t at_ns, uint64_t queue_length, uint64_t completed) {
    model_.waits.samples.push_back({at_ns, 4, queue_length, completed});
    model_.facts.last_ns = at_ns + kSecond;
  }
  void StandsStill() {
    for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, 7);
  }

  Model model_;
};

TEST_F(PoolHealth, NothingRecordedIsNoVerdict) {
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kUnknown);
}

TEST_F(PoolHealth, WorkersThatBlockWhileWorkStandsStillStarveIt) {
  StandsStill();
  Snapshot({Blocked(), Blocked(), Computing(), Idle()});
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.verdict, Verdict::kStarved);
  EXPECT_EQ(report.busy, 3u);
  EXPECT_EQ(report.blocked, 2u);
  EXPECT_EQ(report.longest_stall_ns, 3u * kSecond);
  ASSERT_EQ(report.blocking.size(), 1u);
  EXPECT_EQ(report.blocking[0].count, 2u);
  EXPECT_EQ(report.blocking[0].call, BlockingCall::Kind::kTask);
  EXPECT_EQ(report.names.Display(report.blocking[0].site), "Shop.Cart.Load");
}

// The JIT compiler may have put the call that waits into the work's own method.
TEST_F(PoolHealth, AnEventShowsThatAWorkerIsBlockedWhoseStackDoesNot) {
  const auto blocked = [this](const WaitSpan& span, ThreadRunState state) {
    model_.waits = {};
    StandsStill();
    Snapshot({Computing()});
    model_.waits.snapshots[0].threads[0].thread = 3;
    model_.waits.snapshots[0].threads[0].state = state;
    model_.waits.spans = {span};
    const PoolReport report = AnalyzePool(model_);
    if (report.blocked == 1) {
      EXPECT_EQ(report.blocking.at(0).call, BlockingCall::Kind::kWaitHandle);
      EXPECT_EQ(report.names.Display(report.blocking[0].site), "Shop.Cart.Price");
    }
    return report.blocked;
  };
  constexpr auto kSleeping = ThreadRunState::kSleeping;
  WaitSpan span{.at_ns = kSecond / 2,
                .duration_ns = kSecond / 2 + 1,
                .thread = 3,
                .kind = WaitKind::kWaitHandle};
  EXPECT_EQ(blocked(span, kSleeping), 1u);
  EXPECT_EQ(blocked(span, ThreadRunState::kRunning), 0u);
  span.duration_ns -= 1;
  EXPECT_EQ(blocked(span, kSleeping), 0u);
  span.duration_ns += 1;
  span.thread = 2;
  EXPECT_EQ(blocked(span, kSleeping), 0u);

  model_.waits.spans.clear();
  model_.waits.open = {{.kind = WaitKind::kWaitHandle, .thread = 3, .start_ns = kSecond}};
  EXPECT_EQ(AnalyzePool(model_).blocked, 1u);
  model_.waits.open[0].start_ns += 1;
  EXPECT_EQ(AnalyzePool(model_).blocked, 0u);
}

// It is not starved; but a pool whose work waited for seconds is not healthy.
// Nothing else has queued anything, so nobody waits for these workers.
TEST_F(PoolHealth, AParallelLoopWhoseBodyBlocksDoesNotStarveIt) {
  const auto look = [this](const char* loop, uint64_t queued, uint64_t others) {
    model_.waits = {};
    for (int i = 0; i < 9; ++i) Sample(i * kSecond, queued, 7);
    const StackId body = Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                                 {loop, "Run"},
                                 {"Shop.Crawler", "Fetch"},
                                 {"System.Threading.Thread", "Sleep"}});
    if (others == 0) {
      Snapshot({body, body, body});
    } else {
      Snapshot({body, body, body, Blocked()});
    }
    model_.waits.starvations = 9;
    return AnalyzePool(model_);
  };
  constexpr char kLoop[] = "System.Threading.Tasks.Parallel+<>c__DisplayClass19_0`1";
  EXPECT_EQ(look(kLoop, 1, 0).verdict, Verdict::kStrained);
  EXPECT_FALSE(look(kLoop, 1, 0).strained_by_blocking);
  EXPECT_EQ(look("System.Linq.Parallel.SpoolingTask", 1, 0).verdict, Verdict::kStrained);
  EXPECT_EQ(look(kLoop, 2, 0).verdict, Verdict::kStarved);
  EXPECT_EQ(look(kLoop, 1, 1).verdict, Verdict::kStarved);
  EXPECT_EQ(look("Shop.Loop", 1, 0).verdict, Verdict::kStarved);
}

TEST_F(PoolHealth, WorkersThatComputeForLongStrainIt) {
  StandsStill();
  Snapshot({Computing(), Computing(), Blocked()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
}

TEST_F(PoolHealth, WorkThatWaitsForSecondsStarvesAPoolWhoseWorkersBlock) {
  const auto work = [this](uint64_t queue_length, uint64_t completed) {
    model_.waits.samples.clear();
    for (uint64_t i = 0; i <= 10; ++i) {
      Sample(static_cast<int64_t>(i) * kSecond, queue_length, i == 10 ? completed : 5 * i);
    }
  };
  Snapshot({Blocked(), Blocked()});
  work(5, 50);
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.mean_wait_ns, 1u * kSecond);
  EXPECT_EQ(report.longest_stall_ns, 0u);
  EXPECT_EQ(report.verdict, Verdict::kStarved);
  work(4, 50);
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
  work(5, 49);
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
  work(5, 50);
  model_.waits.snapshots.clear();
  Snapshot({Computing(), Computing()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
}

// Work stands still for three seconds, and half of the workers block.
TEST_F(PoolHealth, TheRulesHoldAtTheirEdges) {
  StandsStill();
  Snapshot({Blocked(), Blocked(), Computing(), Computing()});
  const auto verdict = [this](const PoolRules& rules) {
    return AnalyzePool(model_, rules).verdict;
  };
  constexpr uint64_t kStall = 3 * kSecond;
  EXPECT_EQ(verdict({.stall_ns = kStall}), Verdict::kStarved);
  EXPECT_EQ(verdict({.stall_ns = kStall + 1, .long_stall_ns = kStall}), Verdict::kStrained);
  EXPECT_EQ(verdict({.stall_ns = kStall + 1, .long_stall_ns = kStall + 1}), Verdict::kHealthy);
  EXPECT_EQ(verdict({.blocked_share = 0.5}), Verdict::kStarved);
  EXPECT_EQ(verdict({.blocked_share = 0.501}), Verdict::kStrained);

  // A hundred within four seconds.
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  model_.waits.adjustments.assign(100, added);
  const auto is_strained_by_tasks = [this](double a_minute) {
    PoolRules rules;
    rules.blocked_share = 1;
    rules.many_blocked_per_minute = a_minute;
    return AnalyzePool(model_, rules).strained_by_tasks;
  };
  EXPECT_TRUE(is_strained_by_tasks(1499));
  EXPECT_FALSE(is_strained_by_tasks(1501));
}

TEST_F(PoolHealth, WorkersThatBlockOnTasksAgainAndAgainAreReportedBeforeTheyAreMany) {
  const PoolRules rules;
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  const auto analyze = [&](uint64_t count, int64_t seconds) {
    model_.waits.adjustments.assign(count, added);
    model_.facts.last_ns = seconds * kSecond;
    return AnalyzePool(model_, rules);
  };
  // Ten a minute.
  EXPECT_EQ(analyze(rules.some_blocked, 120).verdict, Verdict::kStrained);
  EXPECT_TRUE(analyze(rules.some_blocked, 120).blocks_on_tasks);
  EXPECT_FALSE(analyze(rules.some_blocked, 120).strained_by_tasks);
  EXPECT_EQ(analyze(rules.some_blocked, 121).verdict, Verdict::kHealthy);
  EXPECT_EQ(analyze(rules.some_blocked - 1, 100).verdict, Verdict::kHealthy);
}

// No place has half of them. Over a long time they starve it as surely as those in one place.
TEST_F(PoolHealth, WorkersThatBlockInManyPlacesStarveItWhenWorkStandsStillForLong) {
  StandsStill();
  const auto in = [this](const char* method) {
    return Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                   {"Shop.Cart", method},
                   {"System.Threading.Tasks.Task", "Wait"}});
  };
  Snapshot({in("Load"), in("Price"), in("Show")});
  constexpr uint64_t kStall = 3 * kSecond;
  EXPECT_EQ(AnalyzePool(model_, {.long_stall_ns = kStall}).verdict, Verdict::kStarved);
  EXPECT_EQ(AnalyzePool(model_, {.long_stall_ns = kStall + 1}).verdict, Verdict::kStrained);
  model_.waits.snapshots.clear();
  Snapshot({in("Load"), in("Load"), in("Price"), in("Show")});
  EXPECT_EQ(AnalyzePool(model_, {.long_stall_ns = kStall + 1}).verdict, Verdict::kStarved);
}

// The JIT compiler inlines small methods into the pool's own code.
TEST_F(PoolHealth, AWorkerThatSleepsWithoutAFrameOfYoursIsAtWork) {
  StandsStill();
  const StackId asleep = Worker(
      {{"System.Threading.ThreadPoolWorkQueue", "Dispatch"}, {"System.Threading.Thread", "Sleep"}});
  Snapshot({asleep, asleep, Idle()});
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.busy, 2u);
  EXPECT_EQ(report.blocked, 2u);
  EXPECT_EQ(report.verdict, Verdict::kStarved);
  EXPECT_EQ(report.seen_in, 0u);
  // Before that it was not inlined yet.
  Snapshot({Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                    {"Shop.Cart", "Send"},
                    {"System.Threading.Thread", "Sleep"}}),
            Blocked()});
  const PoolReport later = AnalyzePool(model_);
  EXPECT_EQ(later.names.Display(later.seen_in), "Shop.Cart.Send");
}

// Some bodies of one method have yours inlined, and some call it.
TEST_F(PoolHealth, OneMethodThatIsInlinedAtTimesIsOnePlace) {
  StandsStill();
  const StackId inlined = Worker(
      {{"System.Threading.ThreadPoolWorkQueue", "Dispatch"}, {"System.Threading.Thread", "Sleep"}});
  const auto called = [this](const char* method) {
    return Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                   {"Shop.Cart", method},
                   {"System.Threading.Thread", "Sleep"}});
  };
  Snapshot({inlined, inlined, called("Send")});
  const PoolReport report = AnalyzePool(model_);
  ASSERT_EQ(report.blocking.size(), 1u);
  EXPECT_EQ(report.blocking[0].count, 3u);
  EXPECT_EQ(report.names.Display(report.blocking[0].site), "Shop.Cart.Send");
  // It is unknown which of the two it is.
  Snapshot({inlined, inlined, called("Send"), called("Load")});
  EXPECT_EQ(AnalyzePool(model_).blocking.size(), 3u);
}

// The owner of their lock was runnable, and had no processor.
TEST_F(PoolHealth, WorkersThatWaitForALockWhereThereIsNoProcessorAreNotWhatStarvesIt) {
  StandsStill();
  const StackId at_lock = Worker({{"System.Threading.ThreadPoolWorkQueue", "Dispatch"},
                                  {"Shop.Cart", "Add"},
                                  {"System.Threading.Monitor", "Enter"}});
  Snapshot({at_lock, at_lock, Computing()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStarved);
  model_.facts.cpus = 2;
  model_.waits.ready_over_ns = 10e9;
  model_.waits.ready_ns = 50e9;
  model_.waits.ran_ns = 2e9;
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
  // What waits for a task waits for another worker.
  model_.waits.snapshots.clear();
  Snapshot({Blocked(), Blocked(), Computing()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStarved);
}

TEST_F(PoolHealth, OfLooksThatShowNobodyBlockedTheOneWithMostWorkersAtWorkIsReported) {
  StandsStill();
  Snapshot({Idle()});
  Snapshot({Computing(), Computing(), Idle()});
  Snapshot({Computing()});
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.busy, 2u);
  EXPECT_EQ(report.blocked, 0u);
}

TEST_F(PoolHealth, WorkThatWaitsForAMomentIsHealthy) {
  for (int i = 0; i < 3; ++i) Sample(i * kSecond, 100, 7);
  Sample(3 * kSecond, 100, 8);
  Snapshot({Computing(), Computing(), Blocked()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
}

TEST_F(PoolHealth, ManyWorkersAddedBecauseOthersBlockStrainIt) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, static_cast<uint64_t>(i));
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  model_.waits.adjustments.assign(99, added);
  EXPECT_FALSE(AnalyzePool(model_).strained_by_tasks);
  model_.waits.adjustments.push_back(added);
  EXPECT_TRUE(AnalyzePool(model_).strained_by_tasks);
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
}

TEST_F(PoolHealth, AsManyInAnHourDoNot) {
  for (int i = 0; i < 4; ++i) Sample(i * 1200 * kSecond, 100, static_cast<uint64_t>(i));
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  model_.waits.adjustments.assign(100, added);
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
}

TEST_F(PoolHealth, APoolThatTheRuntimeFoundStarvingIsNeverHealthy) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, static_cast<uint64_t>(i));
  Snapshot({Computing(), Computing()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
  model_.waits.starvations = 1;
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
  EXPECT_FALSE(AnalyzePool(model_).strained_by_blocking);
  // Work stood still, and there is no snapshot to show why.
  model_.waits.samples.clear();
  StandsStill();
  model_.waits.snapshots.clear();
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
}

// Three in four seconds; half of the workers block.
TEST_F(PoolHealth, ManyStarvationsWhileMostWorkersBlockAreTheWorkersDoing) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, static_cast<uint64_t>(i));
  Snapshot({Blocked(), Computing()});
  const auto by_blocking = [this](const PoolRules& rules) {
    return AnalyzePool(model_, rules).strained_by_blocking;
  };
  model_.waits.starvations = 2;
  EXPECT_FALSE(by_blocking({}));
  model_.waits.starvations = 3;
  EXPECT_TRUE(by_blocking({}));
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
  EXPECT_TRUE(by_blocking({.many_starvations_per_minute = 44.9}));
  EXPECT_FALSE(by_blocking({.many_starvations_per_minute = 45.1}));
  EXPECT_FALSE(by_blocking({.blocked_share = 0.51}));
}

TEST_F(PoolHealth, WorkersThatBlockAreNoFindingWhileWorkGetsDone) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, static_cast<uint64_t>(i));
  Snapshot({Blocked(), Blocked()});
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.verdict, Verdict::kHealthy);
  EXPECT_EQ(report.completed, 3u);
}

TEST_F(PoolHealth, SeveralWorkersThatBlockOccupyItWhileWorkGetsDone) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 100, static_cast<uint64_t>(i));
  Snapshot({Blocked(), Blocked(), Computing(), Computing()});
  EXPECT_TRUE(AnalyzePool(model_, {.occupied_workers = 2}).is_occupied);
  EXPECT_FALSE(AnalyzePool(model_, {.occupied_workers = 3}).is_occupied);
  EXPECT_EQ(AnalyzePool(model_, {.occupied_workers = 2}).verdict, Verdict::kHealthy);
  model_.waits.snapshots.clear();
  Snapshot({Blocked(), Blocked(), Computing(), Computing(), Computing()});
  EXPECT_FALSE(AnalyzePool(model_, {.occupied_workers = 2}).is_occupied);
}

TEST_F(PoolHealth, AnEmptyQueueDoesNotStandStill) {
  for (int i = 0; i < 4; ++i) Sample(i * kSecond, 0, 7);
  Snapshot({Blocked(), Blocked()});
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.verdict, Verdict::kHealthy);
  EXPECT_EQ(report.stalled_ns, 0u);
}

TEST_F(PoolHealth, WithoutFiguresThePoolsOwnDecisionsCount) {
  model_.waits.adjustments.push_back({});
  model_.waits.starvations = 2;
  Snapshot({Blocked(), Blocked()});
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStarved);
  model_.waits.starvations = 1;
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kStrained);
  model_.waits.starvations = 0;
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kHealthy);
}

TEST_F(PoolHealth, WithoutASnapshotWaitsThatHaveNotEndedCount) {
  StandsStill();
  EXPECT_EQ(AnalyzePool(model_).verdict, Verdict::kUnknown);
  for (uint64_t id = 1; id <= 4; ++id) {
    OpenWait wait;
    wait.id = id;
    wait.kind = WaitKind::kMonitorWait;
    wait.stack = Blocked();
    model_.waits.open.push_back(wait);
  }
  const PoolReport report = AnalyzePool(model_);
  EXPECT_EQ(report.verdict, Verdict::kStarved);
  EXPECT_FALSE(report.from_snapshot);
}

}  // namespace
}  // namespace hindsight::analyzer
