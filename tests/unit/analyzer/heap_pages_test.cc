// Lists of objects to page through, referrers, and what the explorer makes of them.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/object_pages.h"
#include "analyzer/analyses/heap/referrers.h"
#include "analyzer/serve/heap_view.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using nlohmann::json;
using testing::HeapBuilder;

// 300 orders in a list, with notes of different sizes; one is garbage.
std::unique_ptr<HeapModel> Orders() {
  HeapBuilder heap;
  const ClassIndex list = heap.Class("Shop.Orders", {"_items"});
  const ClassIndex order = heap.Class("Shop.Order", {"_note", "_next"}, 32);
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  const ObjectId all = heap.Add(list);
  const ObjectId items = heap.Add(heap.Array("Shop.Order"), 300);
  heap.Refer(all, "_items", items);
  for (uint64_t i = 0; i < 300; ++i) {
    const ObjectId one = heap.Add(order);
    heap.Refer(one, "_note", heap.Add(bytes, 8 * (i % 100)));
    heap.Refer(items, i, one);
  }
  heap.Add(order);
  heap.Static("Shop.Program", "s_orders", all);
  return heap.Build();
}

struct KnownHeap {
  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  std::optional<RootPaths> paths;
};

KnownHeap PartsOf(std::unique_ptr<HeapModel> model) {
  KnownHeap parts;
  parts.dominators = ComputeDominators(model->graph);
  parts.paths.emplace(model->graph);
  parts.model = std::move(model);
  return parts;
}

json Read(const Result<std::string>& answer) {
  EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.error().sentence);
  return answer.ok() ? json::parse(*answer) : json();
}

TEST(HeapPages, ReferrersAreTheReferencesTheOtherWayRound) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_a", "_b"});
  std::vector<ObjectId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(heap.Add(node));
  heap.Refer(ids[0], "_a", ids[2]);
  heap.Refer(ids[0], "_b", ids[2]);  // counts once
  heap.Refer(ids[4], "_a", ids[2]);
  heap.Refer(ids[2], "_a", ids[2]);
  heap.Refer(ids[1], "_b", ids[0]);
  heap.Root(ids[1]);
  const std::unique_ptr<HeapModel> model = heap.Build();
  const Referrers referrers(model->graph);
  const auto of = [&](ObjectId id) {
    const auto holders = referrers.Of(id);
    return std::vector<ObjectId>(holders.begin(), holders.end());
  };
  EXPECT_EQ(of(ids[2]), (std::vector<ObjectId>{ids[0], ids[2], ids[4]}));
  EXPECT_EQ(of(ids[0]), (std::vector<ObjectId>{ids[1]}));
  EXPECT_TRUE(of(ids[3]).empty());
  EXPECT_TRUE(of(ids[4]).empty());
}

TEST(HeapPages, EachPageIsThatOfTheSortedWhole) {
  const KnownHeap parts = PartsOf(Orders());
  std::vector<bool> all(parts.model->graph.classes().size(), true);
  std::vector<ObjectId> sorted = ObjectsOf(parts.model->graph, all);
  const std::vector<ObjectId> ascending = sorted;
  SortRange(parts.dominators, {0, sorted.size()}, sorted);
  EXPECT_FALSE(parts.dominators.IsReachable(sorted.back()));  // the only garbage
  for (size_t i = 1; i + 1 < sorted.size(); ++i) {
    const uint64_t before = parts.dominators.retained[sorted[i - 1]];
    const uint64_t now = parts.dominators.retained[sorted[i]];
    ASSERT_TRUE(before > now || (before == now && sorted[i - 1] < sorted[i])) << i;
  }
  std::vector<ObjectId> paged = ascending;
  for (const size_t from : {600u, 0u, 50u, 590u, 100u, 5000u}) {
    SortRange(parts.dominators, {from, 50}, paged);
    for (size_t i = from; i < std::min(from + 50, sorted.size()); ++i) {
      ASSERT_EQ(paged[i], sorted[i]) << from;
    }
  }
}

// What somebody looks for is what holds an object.
TEST(HeapPages, GarbageComesLast) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ObjectId garbage = heap.Add(node), below = heap.Add(node), kept = heap.Add(node);
  heap.Refer(garbage, "_next", below);
  heap.Root(kept);
  const KnownHeap parts = PartsOf(heap.Build());
  std::vector<ObjectId> ids = {garbage, below, kept};
  SortRange(parts.dominators, {0, ids.size()}, ids);
  EXPECT_EQ(ids[0], kept);
}

TEST(HeapPages, TypesSoFarAreTheObjectsOfEachType) {
  const HeapView view({.model = Orders(), .snapshots = {}});
  const json first = json::parse(view.TypesSoFar());
  EXPECT_EQ(first["is_preliminary"], true);
  EXPECT_TRUE(view.Dominated("", {0, 1}).ok());
  const json known = json::parse(view.Types());
  EXPECT_FALSE(known.contains("is_preliminary"));
  ASSERT_EQ(first["types"].size(), known["types"].size());
  uint64_t bytes_before = UINT64_MAX;
  for (const json& row : first["types"]) {
    EXPECT_LE(row["bytes"].get<uint64_t>(), bytes_before);
    bytes_before = row["bytes"];
    for (const json& whole : known["types"]) {
      if (whole["type"] != row["type"]) continue;
      EXPECT_EQ(row["objects"],
                whole["objects"].get<uint64_t>() + whole["unreachable_objects"].get<uint64_t>());
      EXPECT_EQ(row["bytes"],
                whole["bytes"].get<uint64_t>() + whole["unreachable_bytes"].get<uint64_t>());
    }
  }
}

TEST(HeapPages, TypesLeadToInstancesToAnObjectAndItsPath) {
  const HeapView view({.model = Orders(), .snapshots = {}});
  EXPECT_TRUE(view.Dominated("", {0, 1}).ok());  // so that everything is known
  const json types = json::parse(view.Types());
  EXPECT_EQ(types["command"], "heap");
  const json page = Read(view.Instances("Shop.Order", {0, 50}));
  EXPECT_EQ(page["count"], 301);
  ASSERT_EQ(page["objects"].size(), 50u);
  const json last = Read(view.Instances("Shop.Order", {300, 50}));
  ASSERT_EQ(last["objects"].size(), 1u);
  EXPECT_EQ(last["objects"][0]["retained_bytes"], 0) << "garbage comes last";
  EXPECT_EQ(Read(view.Instances("Shop.Order", {5000, 50}))["objects"].size(), 0u);
  EXPECT_FALSE(view.Instances("Shop.order", {0, 50}).ok());
  EXPECT_FALSE(view.Instances("", {0, 50}).ok());

  const std::string address = page["objects"][0]["address"];
  const json object = Read(view.Object(address, {}))["object"];
  EXPECT_EQ(object["retained_bytes"], page["objects"][0]["retained_bytes"]);
  EXPECT_EQ(object["references"][0]["slot"], "._note");
  EXPECT_EQ(object["references"][0]["target"]["type"], "byte[]");
  EXPECT_EQ(object["referrer_count"], 1);
  const json path = Read(view.RootPath(address));
  ASSERT_EQ(path["steps"].size(), 3u);
  EXPECT_EQ(path["steps"][0]["field"], "Shop.Program.s_orders");
  EXPECT_EQ(path["steps"][2]["to"]["address"], address);
  EXPECT_EQ(path["path"].size(), object["path"].size());

  EXPECT_EQ(Read(view.RootPath(std::string(last["objects"][0]["address"])))["steps"].size(), 0u);
  for (const char* wrong : {"", "0x", "zz", "0x1", "-1", "0xffffffffffffffffff"}) {
    EXPECT_FALSE(view.Object(wrong, {}).ok()) << wrong;
    EXPECT_FALSE(view.RootPath(wrong).ok()) << wrong;
  }
}

TEST(HeapPages, ReferencesAndReferrersArePaged) {
  const HeapView view({.model = Orders(), .snapshots = {}});
  const json items = Read(view.Instances("Shop.Order[]", {0, 1}))["objects"][0];
  const json object = Read(
      view.Object(std::string(items["address"]), {.rows = 10, .references_from = 295}))["object"];
  EXPECT_EQ(object["reference_count"], 300);
  ASSERT_EQ(object["references"].size(), 5u);
  EXPECT_EQ(object["references"][0]["slot"], "[295]");
  EXPECT_EQ(object["referrers"].size(), 1u);
  const json beyond =
      Read(view.Object(std::string(items["address"]), {.rows = 10, .referrers_from = 1}))["object"];
  EXPECT_EQ(beyond["referrer_count"], 1);
  EXPECT_EQ(beyond["referrers"].size(), 0u);
}

// Without the index, each query scans all references: the results are the same.
TEST(HeapPages, AnObjectIsTheSameWithReferrersAndWithout) {
  const KnownHeap parts = PartsOf(Orders());
  const SlotNames names(*parts.model);
  const Referrers referrers(parts.model->graph);
  for (ObjectId id = 0; id < parts.model->graph.size(); ++id) {
    const ObjectDetails slow =
        DescribeObject(*parts.model, parts.dominators, names, *parts.paths, id);
    const ObjectDetails fast =
        DescribeObject(*parts.model, parts.dominators, names, *parts.paths, id, {}, &referrers);
    ASSERT_EQ(slow.referrer_count, fast.referrer_count) << id;
    ASSERT_EQ(slow.referrers.size(), fast.referrers.size()) << id;
    for (size_t i = 0; i < slow.referrers.size(); ++i) {
      EXPECT_EQ(slow.referrers[i].holder, fast.referrers[i].holder);
      EXPECT_EQ(slow.referrers[i].slot, fast.referrers[i].slot);
    }
  }
}

TEST(HeapPages, TheDominatorTreeIsWalkedDownFromStatics) {
  const HeapView view({.model = Orders(), .snapshots = {}});
  const json top = Read(view.Dominated("", {0, 50}));
  EXPECT_TRUE(top["above"].is_null());
  ASSERT_EQ(top["count"], 1) << "what the static holds, not the runtime's array of statics";
  EXPECT_EQ(top["objects"][0]["type"], "Shop.Orders");
  EXPECT_EQ(top["objects"][0]["held_by"], "static Shop.Program.s_orders");
  EXPECT_EQ(top["objects"][0]["dominated"], 1);
  const json list = Read(view.Dominated(std::string(top["objects"][0]["address"]), {0, 50}));
  EXPECT_EQ(list["objects"][0]["held_by"], "._items");
  const json orders = Read(view.Dominated(std::string(list["objects"][0]["address"]), {250, 100}));
  EXPECT_EQ(orders["count"], 300);
  ASSERT_EQ(orders["objects"].size(), 50u);
  EXPECT_EQ(orders["from"], 250);
}

}  // namespace
}  // namespace hindsight::analyzer
