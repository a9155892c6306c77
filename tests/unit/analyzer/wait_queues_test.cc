// Queues in front of locks that are merely busy.
#include "analyzer/analyses/waits/wait_queues.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapThreadSpec;
using testing::WaitScene;

std::vector<WaitQueue> Find(WaitScene& scene, const WaitQueueRules& rules = {}) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  const RootPaths paths(model->graph);
  const HeapWaits waits(*model, paths);
  return FindWaitQueues(waits, rules);
}

// Thread 100 + n; it waits for `wanted` if that is an object.
void AddThread(WaitScene& scene, uint32_t n, std::string_view method, ObjectId wanted = kNoObject) {
  HeapThreadSpec thread{.os_id = 100 + n,
                        .name = "t" + std::to_string(n),
                        .clr_thread = 0x7f00'0000u + n,
                        .managed_id = n,
                        .stack = {std::string(method)}};
  if (wanted != kNoObject) {
    thread.stack.insert(thread.stack.begin(), "System.Threading.Monitor.Enter");
    thread.waiting_monitor = wanted;
    thread.objects = {{.object = wanted, .frame = 0}};
  }
  scene.Thread(thread);
}

void Own(WaitScene& scene, ObjectId object, uint32_t owner) {
  scene.heap().Monitor({object, 100 + owner, owner, 0, true});
}

TEST(WaitQueues, FollowTheLocksToWhoGetsOn) {
  WaitScene scene;
  const ObjectId cache = scene.Object("Shop.Cache");
  const ObjectId disk = scene.Object("Shop.Disk");
  Own(scene, cache, 1);
  Own(scene, disk, 2);
  AddThread(scene, 1, "Shop.Cache.Load", disk);
  AddThread(scene, 2, "Shop.Disk.Read");
  for (uint32_t n = 10; n < 40; ++n) AddThread(scene, n, "Shop.Web.Handle", cache);
  AddThread(scene, 50, "Shop.Job.Run", cache);
  AddThread(scene, 51, "Shop.Backup.Run", disk);
  const std::vector<WaitQueue> queues = Find(scene);
  ASSERT_EQ(queues.size(), 1u);  // the disk's own is part of the first
  const WaitQueue& queue = queues[0];
  EXPECT_EQ(queue.waiters, 31u);
  ASSERT_EQ(queue.nodes.size(), 4u);
  EXPECT_EQ(queue.nodes[0].target.type, "Shop.Cache");
  EXPECT_EQ(queue.nodes[1].target.type, "t1");
  EXPECT_EQ(queue.nodes[2].target.type, "Shop.Disk");
  EXPECT_EQ(queue.nodes[3].target.type, "t2");
  ASSERT_EQ(queue.edges.size(), 3u);
  EXPECT_EQ(queue.edges[2].reason, WaitReason::kOwnerInHeader);
  ASSERT_EQ(queue.members.size(), 2u);
  EXPECT_EQ(queue.members[0].waits_for.type, "Shop.Disk");
  EXPECT_EQ(queue.members[1].waits_for.kind, "");
  EXPECT_EQ(queue.members[1].holds[0].type, "Shop.Disk");
  ASSERT_EQ(queue.crowd.size(), 3u);
  EXPECT_EQ(queue.crowd[0].count, 30u);
  EXPECT_EQ(queue.crowd[0].at, "Shop.Web.Handle");
}

TEST(WaitQueues, AreNotThereForOneWaiterOrADeadlock) {
  WaitScene scene;
  const ObjectId busy = scene.Object("Shop.Busy");
  Own(scene, busy, 1);
  AddThread(scene, 1, "Shop.Busy.Work");
  AddThread(scene, 2, "Shop.Web.Handle", busy);
  const ObjectId a = scene.Object("Shop.A"), b = scene.Object("Shop.B");
  Own(scene, a, 3);
  Own(scene, b, 4);
  AddThread(scene, 3, "Shop.A.Go", b);
  AddThread(scene, 4, "Shop.B.Go", a);
  for (uint32_t n = 10; n < 20; ++n) AddThread(scene, n, "Shop.Web.Handle", a);
  EXPECT_TRUE(Find(scene).empty());
}

TEST(WaitQueues, AreBounded) {
  WaitScene scene;
  for (uint32_t i = 0; i < 20; ++i) {
    const ObjectId lock = scene.Object("Shop.Lock");
    Own(scene, lock, 1 + i);
    AddThread(scene, 1 + i, "Shop.Work");
    for (uint32_t n = 0; n < 2 + i; ++n) AddThread(scene, 100 + 100 * i + n, "Shop.Wait", lock);
  }
  const std::vector<WaitQueue> queues = Find(scene, {.queues = 3});
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_EQ(queues[0].waiters, 21u);
  EXPECT_EQ(queues[2].waiters, 19u);
}

}  // namespace
}  // namespace hindsight::analyzer
