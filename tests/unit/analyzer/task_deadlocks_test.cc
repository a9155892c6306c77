// Deadlocks of tasks: on contexts, in the pool, and of those that await one another.
#include <gtest/gtest.h>

#include <cstdint>

#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "tests/unit/analyzer/deadlocks_test.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::HeapThreadSpec;
using testing::WaitScene;

TEST(Deadlocks, AreNotRuledOutWhereTasksHaveNoState) {
  for (const bool has_values : {true, false}) {
    WaitScene scene(has_values);
    scene.heap().Thread(Thread(1, "Shop.Work"));
    scene.Promise("", WaitScene::kDone);
    const DeadlockVerdict verdict = VerdictOf(DeadlocksIn(scene), true);
    EXPECT_EQ(verdict.is_all_clear, has_values) << verdict.headline;
  }
}

TEST(Deadlocks, BlockingOnWorkThatNeedsTheContext) {
  for (const bool is_posted : {true, false}) {
    WaitScene scene;
    const ObjectId context = scene.Context("Shop.Dispatcher");
    scene.ThreadObject(kClr + 1, 1, context);
    const ObjectId first = scene.Promise("", is_posted ? WaitScene::kDone : WaitScene::kPromise);
    if (!is_posted) scene.heap().Static("Shop.Net", "s_call", scene.CompletionSource(first));
    const ObjectId load = scene.Async("Shop.Window+<Load>d__2", 0, first, context);
    if (is_posted) scene.Post(context, load);
    scene.Thread(InTaskWait(1, "Shop.Window.OnClick", scene.WaitEvent(load)));
    const DeadlockReport report = DeadlocksIn(scene);
    ASSERT_EQ(report.deadlocks.size(), 1u);
    const Deadlock& deadlock = report.deadlocks[0];
    EXPECT_EQ(deadlock.kind, "sync over async");
    EXPECT_EQ(deadlock.proof, Proof::kCertain);
    EXPECT_EQ(deadlock.victims, 0u);
    ASSERT_EQ(deadlock.members.size(), 1u);
    EXPECT_EQ(deadlock.members[0].waits_for.kind, "task");
    EXPECT_EQ(deadlock.members[0].waits_for.type, "Shop.Window.Load");
    EXPECT_TRUE(deadlock.members[0].holds.empty());
  }
}

TEST(Deadlocks, AContextWithAnotherThreadIsNone) {
  WaitScene scene;
  const ObjectId context = scene.Context("Shop.Dispatcher");
  scene.ThreadObject(kClr + 1, 1, context);
  scene.ThreadObject(kClr + 2, 2, context);
  const ObjectId load = scene.Async("Shop.Window+<Load>d__2", 0, scene.Delay(), context);
  scene.Thread(InTaskWait(1, "Shop.Window.OnClick", scene.WaitEvent(load)));
  scene.Thread(Thread(2, "Shop.Dispatcher.Run"));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

// As those of NUnit and xunit do.
TEST(Deadlocks, AContextThatPassesWorkOnIsNone) {
  enum class Inner { kNone, kContext, kList, kQueue };
  for (const Inner inner : {Inner::kNone, Inner::kContext, Inner::kList, Inner::kQueue}) {
    WaitScene scene;
    HeapBuilder& heap = scene.heap();
    ObjectId within = WaitScene::kNone;
    if (inner == Inner::kContext) within = scene.Context("Shop.Other");
    if (inner == Inner::kList || inner == Inner::kQueue) {
      const bool is_queue = inner == Inner::kQueue;
      const TypeId of = heap.Type(is_queue ? "System.Threading.SendOrPostCallback" : "Shop.Test");
      within = scene.Object("Shop.Runner", {"items_"});
      heap.Refer(within, "items_",
                 heap.Add(heap.Class(heap.Type("System.Collections.Generic.Queue`1", {of}), {})));
    }
    const ObjectId context =
        scene.ContextWithoutQueue("NUnit.Framework.Internal.SafeSynchronizationContext", within);
    scene.ThreadObject(kClr + 1, 1, context);
    const ObjectId load = scene.Async("Shop.Tests+<Load>d__2", 0, scene.Delay(), context);
    scene.Thread(InTaskWait(1, "NUnit.Framework.Internal.Wait", scene.WaitEvent(load)));
    EXPECT_EQ(DeadlocksIn(scene).deadlocks.size(), inner == Inner::kQueue ? 1u : 0u)
        << static_cast<int>(inner);
  }
}

TEST(Deadlocks, BlockingOnWorkWithoutAContextIsNone) {
  WaitScene scene;
  const ObjectId context = scene.Context("Shop.Dispatcher");
  scene.ThreadObject(kClr + 1, 1, context);
  const ObjectId load = scene.Async("Shop.Window+<Load>d__2", 0, scene.Delay());
  scene.Thread(InTaskWait(1, "Shop.Window.OnClick", scene.WaitEvent(load)));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

DeadlockReport FullPool(int64_t max_threads) {
  WaitScene scene;
  scene.Pool(max_threads);
  for (uint32_t i = 1; i <= 4; ++i) {
    const ObjectId fetch =
        scene.Async("Shop.Program+<Fetch>d__1", 0, scene.Promise("", WaitScene::kDone));
    scene.Queue(fetch);
    HeapThreadSpec worker = InTaskWait(i, "Shop.Program.Handle", scene.WaitEvent(fetch));
    worker.stack.push_back("System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart");
    scene.Thread(worker);
  }
  return DeadlocksIn(scene);
}

TEST(Deadlocks, OfAPoolThatIsFull) {
  const DeadlockReport report = FullPool(4);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "sync over async");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kCertain);
  EXPECT_EQ(report.deadlocks[0].members.size(), 4u);
  EXPECT_EQ(report.deadlocks[0].members[0].waits_for.type, "Shop.Program.Fetch");
}

TEST(Deadlocks, APoolThatMayGrowIsNone) { EXPECT_TRUE(FullPool(32767).deadlocks.empty()); }

TEST(Deadlocks, OfTasksThatAwaitOneAnother) {
  WaitScene scene;
  const ObjectId totals = scene.Async("Shop.Report+<MakeTotals>d__1", 1);
  const ObjectId charts = scene.Async("Shop.Report+<MakeCharts>d__2", 1, totals);
  scene.Await(totals, charts);
  for (int i = 0; i < 3; ++i) scene.Async("Shop.Report+<Print>d__3", 0, charts);
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  const Deadlock& deadlock = report.deadlocks[0];
  EXPECT_EQ(deadlock.kind, "task cycle");
  EXPECT_EQ(deadlock.proof, Proof::kCertain);
  ASSERT_EQ(deadlock.members.size(), 2u);
  EXPECT_EQ(deadlock.members[0].task_type, "Shop.Report.MakeTotals");
  EXPECT_EQ(deadlock.members[0].waits_for.type, "Shop.Report.MakeCharts");
  EXPECT_FALSE(deadlock.members[0].os_id);
}

TEST(Deadlocks, ATaskThatRunsOnAThreadWhoseLockIsMissing) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account");
  Own(scene, account, 1);
  const ObjectId work = scene.Task(WaitScene::kRunning, 3);
  scene.Runs(102, work);
  scene.Thread(InTaskWait(1, "Shop.Bank.Close", scene.WaitEvent(work)));
  scene.Thread(InMonitor(2, "Shop.Bank.Book", account));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "mixed cycle");
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
}

// Thread 1 is in a class constructor and waits for a task that runs on thread 2, which needs a
// class.
enum class Third { kNone, kConstructs, kConstructsAndWaits };
DeadlockReport ConstructorThatAwaitsItsUser(Third third) {
  WaitScene scene;
  const ObjectId work = scene.Task(WaitScene::kRunning, 3);
  scene.Runs(102, work);
  scene.Thread(InTaskWait(1, "Shop.Prices..cctor", scene.WaitEvent(work)));
  HeapThreadSpec user = Thread(2, "Shop.Loading.Count");
  user.stack.insert(user.stack.begin(),
                    {"System.Runtime.CompilerServices.InitHelpers.InitClassHelper",
                     "System.Runtime.CompilerServices.InitHelpers.InitClassSlow",
                     "System.Runtime.CompilerServices.StaticsHelpers.GetNonGCStaticBaseSlow"});
  user.objects = {{.object = work, .frame = 3}};
  scene.Thread(user);
  if (third == Third::kConstructs) scene.Thread(Thread(3, "Shop.Cultures..cctor"));
  if (third == Third::kConstructsAndWaits) {
    scene.Thread(InTaskWait(3, "Shop.Cultures..cctor", scene.WaitEvent(work)));
  }
  return DeadlocksIn(scene);
}

TEST(Deadlocks, AClassConstructorThatWaitsForATaskThatNeedsTheClass) {
  const DeadlockReport report = ConstructorThatAwaitsItsUser(Third::kNone);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  const Deadlock& deadlock = report.deadlocks[0];
  EXPECT_EQ(deadlock.kind, "mixed cycle");
  EXPECT_EQ(deadlock.proof, Proof::kLikely);
  ASSERT_EQ(deadlock.members.size(), 2u);
  EXPECT_EQ(deadlock.members[0].site, "Shop.Prices..cctor");
  ASSERT_EQ(deadlock.members[0].holds.size(), 1u);
  EXPECT_EQ(deadlock.members[0].holds[0].kind, kClassConstructor);
  EXPECT_EQ(deadlock.members[0].holds[0].type, "Shop.Prices");
  EXPECT_EQ(deadlock.members[1].site, "Shop.Loading.Count");
  EXPECT_EQ(deadlock.members[1].waits_for.type, "Shop.Prices");
}

// Which class a thread needs is not known.
TEST(Deadlocks, AClassConstructorIsNoneIfAnotherOneRuns) {
  EXPECT_TRUE(ConstructorThatAwaitsItsUser(Third::kConstructs).deadlocks.empty());
  EXPECT_EQ(ConstructorThatAwaitsItsUser(Third::kConstructsAndWaits).deadlocks.size(), 1u);
}

// A thread that waits for a task has it on its stack, and so does one that runs it.
TEST(Deadlocks, AThreadThatWaitsForATaskDoesNotRunIt) {
  for (const bool runs : {false, true}) {
    WaitScene scene;
    const ObjectId work = scene.Task(WaitScene::kRunning, 3);
    HeapThreadSpec thread = InTaskWait(1, "Shop.Host.Invoke", scene.WaitEvent(work));
    if (runs) thread.stack.push_back("System.Threading.Tasks.Task.ExecuteWithThreadLocal");
    thread.stack.push_back("Shop.Program.Main");
    thread.objects.push_back(
        {.object = work, .frame = static_cast<uint32_t>(thread.stack.size() - (runs ? 2 : 1))});
    scene.Thread(thread);
    const DeadlockReport report = DeadlocksIn(scene);
    ASSERT_EQ(report.deadlocks.size(), runs ? 1u : 0u);
    if (runs) {
      EXPECT_EQ(report.deadlocks[0].proof, Proof::kCertain);
    }
  }
}

TEST(Deadlocks, WhenAllNeedsEveryTaskAndADelayEnds) {
  WaitScene scene;
  const ObjectId a = scene.Async("Shop.A+<Run>d__1", 0, scene.Delay());
  const ObjectId b = scene.Async("Shop.B+<Run>d__1", 0, scene.Delay());
  const ObjectId all = scene.WhenAll({a, b});
  scene.Thread(InTaskWait(1, "Shop.Program.Main", scene.WaitEvent(all)));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

// ---- Promises ---------------------------------------------------------------------------------

TEST(Deadlocks, APromiseThatMayBeSetIsNone) {
  WaitScene scene;
  const ObjectId answer = scene.Promise("Shop.Reply");
  scene.heap().Static("Shop.Client", "s_pending", scene.CompletionSource(answer, "Shop.Reply"));
  scene.Thread(InTaskWait(1, "Shop.Program.Main", scene.WaitEvent(answer)));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, AThreadThatBlocksOnAPromiseWithoutASource) {
  WaitScene scene;
  const ObjectId answer = scene.Promise("Shop.Reply");
  scene.CompletionSource(answer, "Shop.Reply");  // garbage
  scene.Thread(InTaskWait(1, "Shop.Program.Main", scene.WaitEvent(answer)));
  scene.Async("Shop.Program+<Log>d__1", 0, scene.Promise());  // nothing blocks on it
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "never completed");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kPossible);
  EXPECT_EQ(report.deadlocks[0].victims, 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
