// The treemap of a heap: areas that add up, bounded, whatever the names.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/display_names.h"
#include "analyzer/page/text_table.h"
#include "analyzer/page/treemap_data.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

// A heap with its reports.
struct Looked {
  explicit Looked(HeapBuilder& heap)
      : model(heap.Build()),
        dominators(ComputeDominators(model->graph)),
        paths(model->graph),
        reports(MakeReports(nullptr,
                            std::make_unique<HeapReports>(*model, paths, dominators, nullptr))) {}

  std::string Type(const TreemapCell& cell) const {
    return TypeDisplayName(model->dictionaries, cell.type);
  }
  // The first of the type.
  const TreemapCell* Find(const Treemap& map, std::string_view type) const {
    for (const TreemapCell& cell : map.cells) {
      if (Type(cell) == type) return &cell;
    }
    return nullptr;
  }

  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  RootPaths paths;
  Reports reports;
};

// No cell's children and own bytes take more than it has.
void ExpectSums(const Treemap& map) {
  std::vector<uint64_t> inside(map.cells.size());
  uint64_t top = 0;
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const TreemapCell& cell = map.cells[i];
    inside[i] += cell.own;
    EXPECT_LE(cell.bytes, cell.retained);
    if (cell.parent == TreemapCell::kTop) {
      top += cell.bytes;
    } else {
      ASSERT_LT(cell.parent, i);
      inside[cell.parent] += cell.bytes;
    }
  }
  for (size_t i = 0; i < map.cells.size(); ++i) EXPECT_LE(inside[i], map.cells[i].bytes) << i;
  EXPECT_LE(top, map.bytes);
}

// A list of `count` subscribers, each held by a link that the link before it holds.
void AddSubscribers(HeapBuilder& heap, int count) {
  const ClassIndex source = heap.Class("Shop.Source", {"_first"});
  const ClassIndex link = heap.Class("Shop.Link", {"_chunk", "_item"});
  const ClassIndex chunk = heap.Class("Shop.Chunk", {"_next"});
  const ClassIndex item = heap.Class("Shop.Item", {}, 1024);
  const ObjectId feed = heap.Add(source);
  heap.Static("Shop.Program", "feed_", feed);
  ObjectId last = feed;
  for (int i = 0; i < count; ++i) {
    const ObjectId id = heap.Add(link);
    heap.Refer(last, last == feed ? "_first" : "_next", id);
    heap.Refer(id, "_item", heap.Add(item));
    last = heap.Add(chunk);
    heap.Refer(id, "_chunk", last);
  }
}

TEST(Treemap, AreasAddUpWhereObjectsHoldTheirLike) {
  HeapBuilder heap;
  AddSubscribers(heap, 50);
  const Looked looked(heap);
  const Treemap map = MakeTreemap(*looked.reports.heap, nullptr);
  ExpectSums(map);
  const TreemapCell* link = looked.Find(map, "Shop.Link");
  const TreemapCell* chunk = looked.Find(map, "Shop.Chunk");
  const TreemapCell* item = looked.Find(map, "Shop.Item");
  ASSERT_TRUE(link != nullptr && chunk != nullptr && item != nullptr);
  EXPECT_TRUE(link->repeats);
  EXPECT_EQ(link->objects, 50u);
  EXPECT_EQ(link->retained, 50 * (32 + 1024 + 24u));
  EXPECT_EQ(link->bytes, link->retained);
  EXPECT_EQ(item->bytes, 50 * 1024u);
  // Each chunk holds the links after it: that is reported, and drawn once.
  EXPECT_EQ(chunk->bytes, 50 * 24u);
  EXPECT_GT(chunk->retained, 49 * 1024u);
  EXPECT_EQ(map.objects, looked.dominators.reachable_objects);
  EXPECT_EQ(map.bytes, looked.dominators.reachable_bytes);
}

TEST(Treemap, KeepsTheLargestAndStaysATree) {
  HeapBuilder heap;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "Shop.T" + std::to_string(i);
    const ObjectId owner = heap.Add(heap.Class(name, {"_one"}));
    heap.Refer(owner, "_one",
               heap.Add(heap.Class(name + "Part", {}, static_cast<uint32_t>(24 + 8 * i))));
    heap.Static(name, "s_all", owner);
  }
  const Looked looked(heap);
  const Treemap all = MakeTreemap(*looked.reports.heap, nullptr);
  EXPECT_EQ(all.cells.size(), 600u);
  EXPECT_EQ(all.left_out, 0u);
  const Treemap map = MakeTreemap(*looked.reports.heap, nullptr, {.cells = 100});
  ASSERT_EQ(map.cells.size(), 100u);
  EXPECT_EQ(map.left_out, 500u);
  ExpectSums(map);
  EXPECT_EQ(looked.Type(map.cells[0]), "Shop.T299");
  EXPECT_EQ(map.cells[0].edge, "static Shop.T299.s_all");
}

TEST(Treemap, MarksTheCellOfALeak) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("Shop.Order")}), {"_items"});
  const ClassIndex order = heap.Class("Shop.Order", {}, 1000);
  const ObjectId all = heap.Add(list);
  const ObjectId items = heap.Add(heap.Array("Shop.Order"), 4000);
  heap.Refer(all, "_items", items);
  for (uint64_t i = 0; i < 4000; ++i) heap.Refer(items, i, heap.Add(order));
  heap.Static("Shop.Program", "orders_", all);
  const Looked looked(heap);
  const Treemap map = MakeTreemap(*looked.reports.heap, nullptr);
  ASSERT_EQ(map.suspects.size(), 1u);
  ASSERT_LT(map.suspects[0], map.cells.size());
  EXPECT_EQ(looked.Type(map.cells[map.suspects[0]]), "Shop.Order");
  // Where the cell itself is left out, the one around it is marked.
  const Treemap small = MakeTreemap(*looked.reports.heap, nullptr, {.cells = 1});
  EXPECT_EQ(small.suspects, std::vector<uint32_t>{0});

  const Json data = TreemapData(looked.reports, nullptr);
  const Json& suspect = data["suspects"][0];
  EXPECT_EQ(suspect["cell"], map.suspects[0]);
  EXPECT_EQ(data["texts"][suspect["path"][0].get<size_t>()], "static Shop.Program.orders_");
  const Json& cells = data["cells"];
  const Json& path = cells["path"][map.suspects[0]];
  EXPECT_EQ(data["texts"][path.back().get<size_t>()], "Order");
  EXPECT_EQ(cells["retained"][map.suspects[0]], 4000 * 1000);
}

TEST(Treemap, ComparesCellsByTheirNames) {
  HeapBuilder small, large;
  small.Add(small.Class("Shop.Garbage"));  // so that ids differ
  AddSubscribers(small, 10);
  AddSubscribers(large, 50);
  const Looked before(small), now(large);
  const Treemap map = MakeTreemap(*now.reports.heap, before.reports.heap.get());
  const TreemapCell* item = now.Find(map, "Shop.Item");
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(item->objects_before, 10u);
  EXPECT_EQ(item->retained_before, 10 * 1024u);
  EXPECT_EQ(map.objects_before, before.dominators.reachable_objects);
  EXPECT_EQ(TreemapData(now.reports, &before.reports)["cells"]["objectsBefore"].size(),
            map.cells.size());
  EXPECT_TRUE(TreemapData(now.reports, nullptr)["cells"]["objectsBefore"].is_null());
}

TEST(Treemap, TextsAreBoundedAndPrintable) {
  HeapBuilder heap;
  heap.Static("Shop.Program", "x", heap.Add(heap.Class(std::string(10'000, 'A'))));
  heap.Static("Shop.Program", "y", heap.Add(heap.Class("Shop.</script>\x1b[31m\xff")));
  const Looked looked(heap);
  const Json data = TreemapData(looked.reports, nullptr);
  EXPECT_LT(data.dump().size(), 20'000u);  // and does not throw
  EXPECT_EQ(PageText(std::string(700, 'x'), 101).size(), 101u);
  EXPECT_EQ(PageText("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 11),
            "\xc3\xa4\xc3\xa4\xe2\x80\xa6\xc3\xa4\xc3\xa4");
  EXPECT_EQ(PageText("a\x1b"), "a\\x1b");
}

TEST(Treemap, IsNotThereWithoutAHeap) { EXPECT_TRUE(TreemapData(Reports{}, nullptr).is_null()); }

}  // namespace
}  // namespace hindsight::analyzer
