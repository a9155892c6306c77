// Deadlocks over semaphores, which have no owner: found where there is one, and nowhere else.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/deadlocks_test.h"

namespace hindsight::analyzer {
namespace {

using testing::WaitScene;

TEST(SemaphoreDeadlocks, ASemaphoreThatNobodyReleases) {
  WaitScene scene;
  const ObjectId free = scene.Semaphore(0, INT32_MAX);
  const ObjectId self = scene.Object("Shop.Turnstile", {"free_"});
  scene.heap().Refer(self, "free_", free);
  for (int i = 0; i < 20; ++i) {
    scene.Async("Shop.Turnstile+<Visit>d__3", 0, scene.SemaphoreWait(free), WaitScene::kNone, self);
  }
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "never released");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kPossible);
  EXPECT_TRUE(report.deadlocks[0].members.empty());
  EXPECT_EQ(report.deadlocks[0].cause.type, "System.Threading.SemaphoreSlim");
  EXPECT_EQ(report.deadlocks[0].victims, 20u);
}

TEST(SemaphoreDeadlocks, ASemaphoreWithASlowHolderIsNone) {
  WaitScene scene;
  const ObjectId desks = scene.Semaphore(0, INT32_MAX);
  for (int i = 0; i < 4; ++i) {
    scene.Async("Shop.Office+<Write>d__3", 0, scene.SemaphoreWait(desks));
  }
  scene.Async("Shop.Office+<Write>d__3", 1, scene.Delay());
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(SemaphoreDeadlocks, ASemaphoreThatIsASignalIsNone) {
  WaitScene scene;
  // Inside the framework's own, with few waiters.
  const ObjectId inner = scene.Semaphore(0, INT32_MAX);
  const ObjectId queue = scene.Object("System.Collections.Concurrent.BlockingCollection`1", {"s"});
  scene.heap().Refer(queue, "s", inner);
  for (int i = 0; i < 8; ++i) {
    scene.Async("Shop.Consumer+<Run>d__1", 0, scene.SemaphoreWait(inner));
  }
  scene.Async("Shop.Signal+<Run>d__1", 0, scene.SemaphoreWait(scene.Semaphore(0, INT32_MAX)));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(SemaphoreDeadlocks, ASemaphoreThatMayBeASignalTakesACrowdToBeOne) {
  const auto found = [](size_t crowd) {
    WaitScene scene;
    const ObjectId free = scene.Semaphore(0, INT32_MAX);
    for (int i = 0; i < 4; ++i) {
      scene.Async("Shop.Turnstile+<Visit>d__3", 0, scene.SemaphoreWait(free));
    }
    DeadlockRules rules;
    rules.crowd = crowd;
    return DeadlocksIn(scene, rules).deadlocks.size();
  };
  EXPECT_EQ(found(4), 1u);
  EXPECT_EQ(found(5), 0u);
}

TEST(SemaphoreDeadlocks, TwoSemaphoresTakenInOppositeOrder) {
  WaitScene scene;
  const ObjectId a = scene.Semaphore(0, 1);
  const ObjectId b = scene.Semaphore(0, 1);
  // Each has passed the await where a victim waits.
  const ObjectId first = scene.Async("Shop.X+<AB>d__1", 1, scene.SemaphoreWait(b));
  const ObjectId second = scene.Async("Shop.X+<BA>d__2", 1, scene.SemaphoreWait(a));
  scene.Async("Shop.X+<AB>d__1", 0, scene.SemaphoreWait(a));
  scene.Async("Shop.X+<BA>d__2", 0, scene.SemaphoreWait(b));
  EXPECT_NE(first, second);
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "semaphore cycle");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kLikely);
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
  EXPECT_EQ(report.deadlocks[0].victims, 2u);
}

// A method that takes two of them keeps both: whoever waits for one might hold the other. Those
// that have passed the first wait do.
TEST(SemaphoreDeadlocks, ThoseWhoWaitForTheFirstOfTwoAreBehindTheCircle) {
  WaitScene scene;
  const ObjectId a = scene.Semaphore(0, 1);
  const ObjectId b = scene.Semaphore(0, 1);
  const auto wait = [&](int64_t state, ObjectId semaphore, ObjectId other) {
    scene.Async("Shop.X+<Pay>d__1", state, scene.SemaphoreWait(semaphore), WaitScene::kNone, other);
  };
  for (int i = 0; i < 10; ++i) {
    wait(0, a, b);
    wait(0, b, a);
  }
  wait(1, a, b);
  wait(1, b, a);
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "semaphore cycle");
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
  EXPECT_EQ(report.deadlocks[0].victims, 20u);
}

// WaitAsync with a timeout is an async method of the semaphore's own, with a reference to it.
TEST(SemaphoreDeadlocks, AWaitWithATimeoutDoesNotHoldTheSemaphore) {
  WaitScene scene;
  const ObjectId gate = scene.Semaphore(0, INT32_MAX);
  for (int i = 0; i < 2; ++i) {
    const ObjectId wait =
        scene.Async("System.Threading.SemaphoreSlim+<WaitUntilCountOrTimeoutAsync>d__31", 1,
                    scene.SemaphoreWait(gate), WaitScene::kNone, gate);
    scene.Async("Shop.Writer+<Write>d__2", 0, wait);
  }
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

// Release hands the semaphore to the first waiter: its count stays 0, and only the pool's queue
// shows whose turn it is.
TEST(SemaphoreDeadlocks, ASemaphoreThatWasHandedOverIsNone) {
  for (const bool has_timeout : {false, true}) {
    WaitScene scene;
    const ObjectId gate = scene.Semaphore(0, 1);
    const ObjectId done = scene.Promise("System.Boolean", WaitScene::kDone);
    const auto enter = [&](ObjectId wait) {
      const ObjectId task = has_timeout
                                ? scene.Async("System.Threading.SemaphoreSlim+<WaitAsync>d__31", 1,
                                              wait, WaitScene::kNone, gate)
                                : wait;
      const ObjectId write = scene.Async("Shop.Writer+<Write>d__2", 0, task);
      return has_timeout ? task : write;
    };
    scene.Queue(enter(done));
    for (int i = 0; i < 4; ++i) enter(scene.SemaphoreWait(gate));
    EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty()) << has_timeout;
  }
}

}  // namespace
}  // namespace hindsight::analyzer
