// The code of Chrome's developer tools reads our export, and agrees with our own analysis on every
// object: its name, what it refers to, and what it retains.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "analyzer/exports/heapsnapshot.h"
#include "analyzer/model/display_names.h"
#include "tests/support/heap_builder.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::analyzer {
namespace {

using nlohmann::json;
using testing::HeapBuilder;

struct Seen {
  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  HeapsnapshotTotals totals;
  std::vector<std::string> ids;  // of nodes, by object; empty: not in the file
  json tools;

  std::string Name(ObjectId id) const { return tools["names"][ids[id]]; }
};

Seen Open(HeapBuilder& heap) {
  Seen seen;
  seen.model = heap.Build();
  const SlotNames names(*seen.model);
  seen.dominators = ComputeDominators(seen.model->graph);
  std::string file;
  seen.totals = WriteHeapsnapshot(*seen.model, names, seen.dominators, [&](std::string_view bytes) {
    file += bytes;
    return true;
  });
  EXPECT_TRUE(seen.totals.written);
  const testing::TempDir folder;
  const std::string path = (folder.path() / "heap.heapsnapshot").string();
  testing::WriteFile(path, file);
  const testing::RunResult result =
      testing::RunProgram({HINDSIGHT_NODE, HINDSIGHT_DEVTOOLS "/check.mjs", path});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  if (result.exit_code != 0) return seen;
  seen.tools = json::parse(result.out);
  // Nodes have odd ids in their order; objects are the last.
  uint64_t node = seen.totals.nodes - seen.totals.objects;
  for (ObjectId id = 0; id < seen.model->graph.size(); ++id) {
    const bool is_there = seen.dominators.IsReachable(id);
    seen.ids.push_back(is_there ? std::to_string(2 * ++node - 1) : "");
  }
  return seen;
}

void ExpectAgreement(const Seen& seen) {
  ASSERT_FALSE(seen.tools.is_null());
  const HeapGraph& graph = seen.model->graph;
  EXPECT_EQ(seen.tools["nodes"], seen.totals.nodes);
  EXPECT_EQ(seen.tools["unreached"], 0);
  EXPECT_EQ(seen.tools["total"], seen.dominators.reachable_bytes);
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (seen.ids[id].empty()) continue;
    ASSERT_EQ(seen.tools["retained"][seen.ids[id]], seen.dominators.retained[id]) << id;
    const json& outgoing = seen.tools["outgoing"][seen.ids[id]];
    const std::span<const ObjectId> references = graph.References(id);
    ASSERT_GE(outgoing.size(), references.size());
    for (size_t i = 0; i < references.size(); ++i) {
      ASSERT_EQ(std::to_string(outgoing[i][2].get<uint64_t>()), seen.ids[references[i]]) << id;
    }
  }
}

TEST(DevTools, ReadsNamesFieldsAndRoots) {
  HeapBuilder heap;
  const ClassIndex cart = heap.Class("Shop.Cart", {"_items", "<Owner>k__BackingField"});
  const ClassIndex items = heap.Array("Shop.Item");
  const ClassIndex item = heap.Class("Shop.Item", {}, 40);
  const ObjectId one = heap.Add(cart), array = heap.Add(items, 4);
  heap.Refer(one, "_items", array);
  heap.Refer(array, uint64_t{0}, heap.Add(item));
  const ObjectId last = heap.Add(item);
  heap.Refer(array, uint64_t{3}, last);
  heap.Add(item);  // garbage
  heap.Static("Shop.Program", "cart_", one);
  const ObjectId local = heap.Add(item);
  heap.Root(local, RootKind::kStack, "Shop.Program.Main");
  const Seen seen = Open(heap);
  ExpectAgreement(seen);
  EXPECT_EQ(seen.Name(one), "Shop.Cart");
  EXPECT_EQ(seen.Name(array), "Shop.Item[]");
  const auto& outgoing = seen.tools["outgoing"];
  EXPECT_EQ(outgoing[seen.ids[one]][0][0], "property");
  EXPECT_EQ(outgoing[seen.ids[one]][0][1], "_items");
  EXPECT_EQ(outgoing[seen.ids[array]][1][0], "element");
  EXPECT_EQ(outgoing[seen.ids[array]][1][1], "3");
  std::vector<std::string> roots;
  for (const json& edge : outgoing["1"]) roots.push_back(edge[1]);
  EXPECT_EQ(roots, (std::vector<std::string>{"(static fields)", "(stack Shop.Program.Main)"}));
  bool has_static = false;
  for (const auto& [id, edges] : outgoing.items()) {
    for (const json& edge : edges) {
      has_static = has_static || edge[1] == "static Shop.Program.cart_";
    }
  }
  EXPECT_TRUE(has_static);
  EXPECT_EQ(seen.totals.objects, 6u);  // with the array of the static
}

TEST(DevTools, ReadsTextsOfAnyBytes) {
  HeapBuilder heap;
  const ClassIndex text = heap.String();
  heap.AddValueField(text, "", ValueField::Kind::kText);
  const std::string strange = "a \"quoted\" \\ line\n\t\x01 \xc3\xa9 \xff end";
  const ObjectId one = heap.AddString(strange);
  heap.Text(one, "", strange);
  heap.Root(one);
  const Seen seen = Open(heap);
  ExpectAgreement(seen);
  EXPECT_EQ(seen.Name(one), "a \"quoted\" \\ line\n\t\x01 \xc3\xa9 \xef\xbf\xbd end");
}

TEST(DevTools, KeepsValuesOfDependentHandlesWithTheirKeys) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"}, 48);
  const ObjectId key = heap.Add(node), value = heap.Add(node), end = heap.Add(node);
  heap.Dependent(key, value);
  heap.Refer(value, "_next", end);
  heap.Root(key);
  const Seen seen = Open(heap);
  ExpectAgreement(seen);
  EXPECT_EQ(seen.tools["retained"][seen.ids[key]], 3 * 48);
}

TEST(DevTools, AgreesOnIrregularGraphs) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    HeapBuilder heap;
    std::vector<ClassIndex> classes;
    for (int i = 0; i < 4; ++i) {
      classes.push_back(
          heap.Class("Shop.Kind" + std::to_string(i), {"_a", "_b", "_c"}, 40 + 16 * i));
    }
    classes.push_back(heap.Array("Shop.Kind0"));
    std::vector<ObjectId> objects;
    for (int i = 0; i < 800; ++i) {
      const ClassIndex type = classes[random() % classes.size()];
      objects.push_back(heap.Add(type, type == classes.back() ? 6 : 0));
      const ObjectId self = objects.back();
      const uint64_t slots = type == classes.back() ? 6 : 3;
      for (uint64_t slot = 0; slot < slots; ++slot) {
        if (random() % 3 != 0) heap.Refer(self, slot, objects[random() % objects.size()]);
      }
    }
    for (int i = 0; i < 300; ++i) {  // some forwards, so that there are cycles
      heap.Refer(objects[random() % 400], uint64_t{1}, objects[400 + random() % 400]);
    }
    for (int i = 0; i < 12; ++i) {
      const ObjectId root = objects[random() % objects.size()];
      heap.Root(root, i % 2 == 0 ? RootKind::kStrongHandle : RootKind::kPinnedHandle);
    }
    heap.Root(objects[5], RootKind::kWeakHandle);
    heap.Static("Shop.Program", "last_", objects.back());
    ExpectAgreement(Open(heap));
  }
}

TEST(DevTools, AFailingSinkIsReported) {
  HeapBuilder heap;
  heap.Root(heap.Add(heap.Class("Shop.Node", {}, 24)));
  const auto model = heap.Build();
  const SlotNames names(*model);
  const auto totals = WriteHeapsnapshot(*model, names, ComputeDominators(model->graph),
                                        [](std::string_view) { return false; });
  EXPECT_FALSE(totals.written);
}

}  // namespace
}  // namespace hindsight::analyzer
