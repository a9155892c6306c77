// Which object holds what: histogram, largest objects, the folded dominator tree, single objects.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/folded_dominators.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/largest.h"
#include "analyzer/analyses/heap/object_details.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

// A model with everything that the queries need.
struct View {
  explicit View(std::unique_ptr<HeapModel> of)
      : model(std::move(of)),
        dominators(ComputeDominators(model->graph)),
        tree(dominators),
        names(*model),
        paths(model->graph) {}

  TypeRow Row(std::string_view raw) const {
    const TypeHistogram histogram = MakeTypeHistogram(*model, dominators, tree);
    for (const TypeRow& row : histogram.rows) {
      if (model->dictionaries.String(model->dictionaries.type(row.type).name) == raw) return row;
    }
    return {};
  }

  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  DominatorTree tree;
  SlotNames names;
  RootPaths paths;
};

TEST(DominatorTree, IsWalkedFromTheTopDownAndBack) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_a", "_b"});
  const ObjectId a = heap.Add(node);
  const ObjectId b = heap.Add(node);
  const ObjectId c = heap.Add(node);
  const ObjectId d = heap.Add(node);
  heap.Add(node);
  heap.Refer(a, "_a", b);
  heap.Refer(a, "_b", c);
  heap.Refer(b, "_a", d);
  heap.Refer(c, "_a", d);
  heap.Root(a);
  const View view(heap.Build());
  std::string walk;
  view.tree.Walk(
      kSuperRoot, [&](ObjectId id) { walk += "(" + std::to_string(id); },
      [&](ObjectId) { walk += ")"; });
  EXPECT_EQ(walk, "(0(1)(2)(3))");
  walk.clear();
  view.tree.Walk(
      d, [&](ObjectId id) { walk += std::to_string(id); }, [](ObjectId) {});
  EXPECT_EQ(walk, "");
}

TEST(Histogram, CountsRetainedMemoryOnceAType) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next", "_item"});
  const ClassIndex item = heap.Class("Shop.Item");
  ObjectId last = kNoObject;
  for (int i = 0; i < 3; ++i) {
    const ObjectId id = heap.Add(node);
    heap.Refer(id, "_item", heap.Add(item));
    if (last == kNoObject) {
      heap.Root(id);
    } else {
      heap.Refer(last, "_next", id);
    }
    last = id;
  }
  heap.Add(item);
  const View view(heap.Build());
  const TypeRow nodes = view.Row("Shop.Node");
  EXPECT_EQ(nodes.objects, 3u);
  EXPECT_EQ(nodes.bytes, 3 * 32u);
  EXPECT_EQ(nodes.retained, 3 * 32u + 3 * 24u);
  const TypeRow items = view.Row("Shop.Item");
  EXPECT_EQ(items.objects, 3u);
  EXPECT_EQ(items.retained, 3 * 24u);
  EXPECT_EQ(items.unreachable_objects, 1u);
  EXPECT_EQ(items.unreachable_bytes, 24u);
}

TEST(Histogram, TakesStaticsHoldersForThemselvesAlone) {
  HeapBuilder heap;
  const ClassIndex array = heap.Array("System.Object");
  const ObjectId a = heap.Add(array, 2);
  heap.Refer(a, uint64_t{0}, heap.Add(heap.Class("Shop.Item")));
  heap.Static("Shop.Cache", "_items", a);
  const View view(heap.Build());
  // One row of two classes: the builder's holder has one of its own.
  const TypeHistogram histogram = MakeTypeHistogram(*view.model, view.dominators, view.tree);
  uint64_t retained = 0;
  for (const TypeRow& row : histogram.rows) {
    if (row.objects == 2) retained = row.retained;
  }
  EXPECT_EQ(histogram.rows.size(), 2u);
  EXPECT_EQ(retained, 32 + 40 + 24u);
}

TEST(Largest, LetsAHolderSpeakForWhatItHoldsNearlyAlone) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class("Shop.List", {"_items"});
  const ClassIndex array = heap.Array("Shop.Item");
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  const ObjectId big = heap.Add(list);
  const ObjectId slots = heap.Add(array, 1000);
  heap.Refer(big, "_items", slots);
  const ObjectId buffer = heap.Add(bytes, 5000);
  heap.Refer(slots, 17, buffer);
  heap.Static("Shop.Cache", "_items", big);
  const ObjectId garbage = heap.Add(bytes, 1 << 20);
  const View view(heap.Build());
  const LargestObjects few = FindLargest(*view.model, view.dominators, view.names, view.paths, 10);
  ASSERT_EQ(few.objects.size(), 2u);
  EXPECT_EQ(few.objects[0].id, big);
  EXPECT_EQ(few.objects[0].retained, 24 + 8024 + 5024u);
  EXPECT_EQ(few.objects[1].id, buffer);
  EXPECT_EQ(few.skipped, 1u);
  EXPECT_EQ(few.objects[1].path.back(), "byte[]");
  EXPECT_EQ(few.objects[1].path.front(), "static Shop.Cache._items");
  const LargestObjects all =
      FindLargest(*view.model, view.dominators, view.names, view.paths, 2, true);
  ASSERT_EQ(all.objects.size(), 2u);
  EXPECT_EQ(all.objects[1].id, slots);
  EXPECT_FALSE(view.dominators.IsReachable(garbage));
}

TEST(FoldedDominators, NameStaticsAndFoldTypes) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class("Shop.List", {"_items"});
  const ClassIndex array = heap.Array("Shop.Item");
  const ClassIndex item = heap.Class("Shop.Item", {"_next"});
  const ObjectId a = heap.Add(list);
  const ObjectId slots = heap.Add(array, 3);
  heap.Refer(a, "_items", slots);
  for (uint64_t i = 0; i < 3; ++i) {
    const ObjectId first = heap.Add(item);
    heap.Refer(slots, i, first);
    heap.Refer(first, "_next", heap.Add(item));
  }
  heap.Static("Shop.Cache", "_items", a);
  const ObjectId shared = heap.Add(heap.Class("Shop.Shared"));
  const ObjectId one = heap.Add(list);
  const ObjectId two = heap.Add(list);
  heap.Refer(one, "_items", shared);
  heap.Refer(two, "_items", shared);
  heap.Root(one, RootKind::kStack, "Shop.Program.Main");
  heap.Root(two, RootKind::kStack, "Shop.Program.Main");
  const View view(heap.Build());
  const HeapTree tree =
      FoldDominators(*view.model, view.names, view.paths, view.dominators, view.tree, {0, 64}).tree;
  std::vector<std::string> lines;
  for (const HeapTreeNode& node : tree.nodes) {
    const Type& type = view.model->dictionaries.type(node.type);
    lines.push_back(std::to_string(node.depth) + " " + node.edge + ":" +
                    std::string(view.model->dictionaries.String(type.name)) + " " +
                    std::to_string(node.objects) + "/" + std::to_string(node.bytes) +
                    (node.repeats ? " again" : ""));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"0 static Shop.Cache._items:Shop.List 1/216",
                                             "1 : 1/192", "2 :Shop.Item 6/144 again",
                                             "0 stack Shop.Program.Main:Shop.List 2/48",
                                             "0 (several roots):Shop.Shared 1/24"}));
  EXPECT_EQ(tree.objects, view.dominators.reachable_objects);

  const HeapTree flat =
      FoldDominators(*view.model, view.names, view.paths, view.dominators, view.tree, {0, 1}).tree;
  ASSERT_EQ(flat.nodes.size(), 3u);
  EXPECT_EQ(flat.nodes[0].folded_children, 1u);
  EXPECT_EQ(flat.nodes[0].folded_bytes, 192u);
}

TEST(ObjectDetails, ShowFieldsReferrersAndHolders) {
  HeapBuilder heap;
  const ClassIndex order = heap.Class("Shop.Order", {"_customer", "_next", "_lines"});
  heap.AddValueField(order, "_count");
  heap.AddValueField(order, "<IsOpen>k__BackingField", ValueField::Kind::kBool);
  heap.AddValueField(order, "_name", ValueField::Kind::kText);
  const ClassIndex array = heap.Array("Shop.Order");
  const ObjectId a = heap.Add(order);
  const ObjectId b = heap.Add(order);
  const ObjectId slots = heap.Add(array, 9);
  heap.Refer(a, "_next", b);
  heap.Refer(slots, 4, a);
  heap.Refer(slots, 5, a);
  heap.Refer(slots, 7, b);
  heap.Value(b, "_count", -3);
  heap.Value(b, "<IsOpen>k__BackingField", 1);
  heap.Text(b, "_name", "first");
  heap.Static("Shop.Cache", "_orders", slots);
  heap.Root(b, RootKind::kWeakHandle);
  const View view(heap.Build());
  const ObjectDetails details =
      DescribeObject(*view.model, view.dominators, view.names, view.paths, b);
  ASSERT_EQ(details.references.size(), 3u);
  EXPECT_EQ(details.references[0].slot, "._customer");
  EXPECT_EQ(details.references[0].target, kNoObject);
  ASSERT_EQ(details.values.size(), 3u);
  EXPECT_EQ(details.values[0].text, "-3");
  EXPECT_EQ(details.values[1].field, "IsOpen");
  EXPECT_EQ(details.values[1].text, "true");
  EXPECT_EQ(details.values[2].text, "\"first\"");
  ASSERT_EQ(details.referrers.size(), 2u);
  EXPECT_EQ(details.referrers[0].slot, "._next");
  EXPECT_EQ(details.referrers[1].slot, "[7]");
  ASSERT_EQ(details.roots.size(), 1u);
  ASSERT_EQ(details.dominators.size(), 1u);
  EXPECT_EQ(details.dominators[0], slots);
  EXPECT_FALSE(details.length.has_value());

  const ObjectDetails of_array =
      DescribeObject(*view.model, view.dominators, view.names, view.paths, slots, {.rows = 2});
  EXPECT_EQ(of_array.length, 9u);
  EXPECT_EQ(of_array.reference_count, 3u);
  ASSERT_EQ(of_array.references.size(), 2u);
  EXPECT_EQ(of_array.references[1].slot, "[5]");
  EXPECT_EQ(of_array.dominator_count, 0u);
  ASSERT_EQ(of_array.referrers.size(), 1u);
  EXPECT_EQ(of_array.referrers[0].slot, "static Shop.Cache._orders");
}

}  // namespace
}  // namespace hindsight::analyzer
