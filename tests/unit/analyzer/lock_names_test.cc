// Which field names a lock.
#include "analyzer/analyses/waits/lock_names.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::WaitScene;

std::string NameIn(WaitScene& scene, ObjectId lock) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  return LockNames(*model, {lock}).Of(lock);
}

TEST(LockNames, AFieldOfYoursComesBeforeOthersAndAStaticFirst) {
  const auto name = [](bool yours, bool is_static) {
    WaitScene scene;
    const ObjectId gate = scene.Object("System.Object");
    scene.heap().Refer(scene.Object("System.Threading.Reader", {"_lock"}), "_lock", gate);
    if (yours) scene.heap().Refer(scene.Object("Shop.StockBook", {"gate_"}), "gate_", gate);
    if (is_static) scene.heap().Static("Shop.Stock", "s_gate", gate);
    return NameIn(scene, gate);
  };
  EXPECT_EQ(name(false, false), "System.Threading.Reader._lock");
  EXPECT_EQ(name(true, false), "Shop.StockBook.gate_");
  EXPECT_EQ(name(true, true), "Shop.Stock.s_gate");
}

TEST(LockNames, AnObjectOfYoursIsKnownByItsType) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account");
  scene.heap().Refer(scene.Object("Shop.Bank", {"first_"}), "first_", account);
  EXPECT_EQ(NameIn(scene, account), "");
}

TEST(LockNames, AnElementIsNoField) {
  WaitScene scene;
  const ObjectId gate = scene.Object("System.Object");
  const ObjectId gates = scene.heap().Add(scene.heap().Array("System.Object"), 4);
  scene.heap().Refer(gates, 2, gate);
  scene.heap().Static("Shop.Stock", "s_gates", gates);
  EXPECT_EQ(NameIn(scene, gate), "");
}

TEST(LockNames, ALookAtTheThreadsJoinsTheRuntimesIdsWithObjects) {
  WaitScene scene;
  const ObjectId gate = scene.Object("System.Object");
  scene.heap().Refer(scene.Object("Shop.StockBook", {"gate_"}), "gate_", gate);
  scene.Thread({.os_id = 11, .stack = {"System.Threading.Monitor.Enter"}, .waiting_monitor = gate});
  scene.heap().facts().number = 3;
  const std::unique_ptr<HeapModel> heap = scene.Build();
  Model events;
  events.threads.resize(2);
  events.threads[1].os_id = 11;
  ThreadSnapshot look;
  look.heap_snapshot = 3;
  look.threads.push_back({.thread = 1, .waits_for = 0x10});
  events.waits.snapshots.push_back(look);
  EXPECT_EQ(NamesByLockId(events, *heap).at(0x10), "Shop.StockBook.gate_");
  events.waits.snapshots[0].heap_snapshot = 2;  // another moment
  EXPECT_TRUE(NamesByLockId(events, *heap).empty());
}

}  // namespace
}  // namespace hindsight::analyzer
