// The wait graph of a page: the contents of the deadlock report, bounded.
#include <gtest/gtest.h>

#include <string>

#include "analyzer/page/wait_graph_data.h"

namespace hindsight::analyzer {
namespace {

// A cycle of `size` threads and as many monitors.
Deadlock Circle(size_t size) {
  Deadlock deadlock;
  deadlock.kind = "lock cycle";
  for (size_t i = 0; i < size; ++i) {
    DeadlockMember member;
    member.os_id = static_cast<uint32_t>(100 + i);
    member.name = "worker " + std::to_string(i);
    member.waits_for = {"monitor", "Shop.Account", "", 0x1000 + i, 0};
    member.holds = {{"monitor", "Shop.Account", "", 0x1000 + (i + size - 1) % size, 0}};
    member.stack = {"System.Threading.Monitor.Enter", "Shop.Bank.Book"};
    deadlock.nodes.push_back({.target = {"thread", member.name, "", 0, 0}, .member = i});
    deadlock.nodes.push_back({.target = member.waits_for, .member = {}});
    deadlock.members.push_back(member);
    deadlock.edges.push_back({.from = 2 * i, .to = 2 * i + 1});
    deadlock.edges.push_back({.from = 2 * i + 1,
                              .to = 2 * ((i + 1) % size),
                              .proof = Proof::kLikely,
                              .reason = WaitReason::kOwnerInHeader});
  }
  return deadlock;
}

Json DataOf(Deadlock deadlock, const WaitGraphLimits& limits = {}) {
  Reports reports;
  reports.deadlocks.deadlocks.push_back(std::move(deadlock));
  return WaitGraphData(reports, limits)["deadlocks"][0];
}

TEST(WaitGraphData, HasTheCircleInItsOrder) {
  const Json data = DataOf(Circle(2));
  ASSERT_EQ(data["nodes"].size(), 4u);
  const Json& thread = data["nodes"][0];
  EXPECT_EQ(thread["kind"], "thread");
  EXPECT_EQ(thread["title"], "worker 0");
  EXPECT_EQ(thread["id"], "thread 100");
  EXPECT_EQ(thread["member"]["waitsFor"], "monitor Shop.Account 0x000000001000");
  EXPECT_EQ(thread["member"]["stack"].size(), 2u);
  EXPECT_EQ(data["nodes"][1]["title"], "Account");
  EXPECT_EQ(data["nodes"][1]["name"], "Shop.Account");
  EXPECT_TRUE(data["nodes"][1]["member"].is_null());
  ASSERT_EQ(data["edges"].size(), 4u);
  EXPECT_EQ(data["edges"][0],
            (Json{{"from", 0}, {"to", 1}, {"says", "waits for"}, {"proof", "certain"}}));
  EXPECT_EQ(data["edges"][3],
            (Json{{"from", 3}, {"to", 0}, {"says", "held by"}, {"proof", "likely"}}));
}

TEST(WaitGraphData, CrowdsStandAtWhatTheyWaitFor) {
  Deadlock deadlock = Circle(2);
  deadlock.victims = 340;
  deadlock.crowd = {
      {.count = 300, .waits_for = {"monitor", "Shop.Account", "", 0x1001, 0}, .at = "Shop.A"},
      {.count = 20, .waits_for = {"monitor", "Shop.Other", "", 0x2000, 0}, .at = "Shop.B"},
      {.count = 20, .waits_for = {}, .at = "Shop.C"}};
  const Json data = DataOf(deadlock, {.crowds = 2});
  ASSERT_EQ(data["crowds"].size(), 2u);
  EXPECT_EQ(data["crowds"][0]["node"], 3);
  EXPECT_EQ(data["crowds"][0]["count"], 300);
  EXPECT_EQ(data["crowds"][1]["node"], -1);
  EXPECT_EQ(data["elsewhere"], 20);
}

TEST(WaitGraphData, LargeCirclesAreCutWithoutAGap) {
  const Json data = DataOf(Circle(1000), {.nodes = 10});
  ASSERT_EQ(data["nodes"].size(), 10u);
  EXPECT_EQ(data["nodes"][9]["kind"], "more");
  EXPECT_EQ(data["nodes"][9]["title"], "1,991 more");
  ASSERT_EQ(data["edges"].size(), 10u);
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(data["edges"][i]["to"], i + 1);
  EXPECT_EQ(data["edges"][9]["from"], 9);
  EXPECT_EQ(data["edges"][9]["to"], 0);
}

TEST(WaitGraphData, IsNotThereWithoutADeadlock) { EXPECT_TRUE(WaitGraphData(Reports{}).is_null()); }

}  // namespace
}  // namespace hindsight::analyzer
