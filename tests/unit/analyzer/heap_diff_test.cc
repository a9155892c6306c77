// What grew between heaps is named with its owner; noise, and temporary objects, are not a leak.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/diff_report.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

// An application at one moment: 1 MiB that stays, orders in a list that a static holds, and windows
// that a hub's own field holds.
struct Moment {
  uint32_t orders = 0;
  uint32_t windows = 0;
  uint32_t shift = 0;      // objects before all others, so that addresses and ids differ
  bool is_shared = false;  // a local holds the orders as well
  bool listens = false;    // to the runtime's events
  uint32_t handlers = 0;   // of an event of the hub
};

std::unique_ptr<HeapModel> MakeHeap(const Moment& moment) {
  HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kComplete;
  const ClassIndex other = heap.Class("Shop.Other", {}, 32);
  for (uint32_t i = 0; i < moment.shift; ++i) heap.Add(other);  // garbage
  heap.Static("Shop.Program", "table_", heap.Add(heap.PlainArray("System.Byte", 1), 1 << 20));
  const auto add_list = [&](std::string_view element, uint32_t count) {
    const ClassIndex list = heap.Class(
        heap.Type("System.Collections.Generic.List`1", {heap.Type(element)}), {"_items"});
    const ClassIndex type = heap.Class(element, {}, 1000);
    const ObjectId owner = heap.Add(list), items = heap.Add(heap.Array(element), 8192);
    heap.Refer(owner, "_items", items);
    for (uint32_t i = 0; i < count; ++i) heap.Refer(items, i, heap.Add(type));
    if (moment.is_shared) heap.Root(items, RootKind::kStack, "Shop.Program.Main");
    return owner;
  };
  heap.Static("Shop.Program", "done_", add_list("Shop.Order", moment.orders));
  const ClassIndex hub = heap.Class("Shop.Hub", {"_windows", "Changed"});
  const ObjectId one = heap.Add(hub);
  if (moment.windows > 0) heap.Refer(one, "_windows", add_list("Shop.Window", moment.windows));
  heap.Static("Shop.Program", "hub_", one);
  if (moment.handlers > 0) {
    const ClassIndex handler = heap.Class("System.EventHandler", {"_target", "_invocationList"});
    const ClassIndex view = heap.Class("Shop.View", {}, 1000);
    const ObjectId all = heap.Add(handler);
    const ObjectId list = heap.Add(heap.Array("System.Object"), moment.handlers);
    heap.Refer(one, "Changed", all);
    heap.Refer(all, "_invocationList", list);
    for (uint32_t i = 0; i < moment.handlers; ++i) {
      const ObjectId each = heap.Add(handler);
      heap.Refer(list, i, each);
      heap.Refer(each, "_target", heap.Add(view));
    }
  }
  if (moment.listens) {
    const ClassIndex source =
        heap.Class("System.Diagnostics.Tracing.NativeRuntimeEventSource", {"m_eventData"});
    const ObjectId log = heap.Add(source);
    heap.Refer(log, "m_eventData", heap.Add(heap.PlainArray("System.Byte", 1), 200'000));
    heap.Static("System.Diagnostics.Tracing.NativeRuntimeEventSource", "Log", log);
  }
  return heap.Build();
}

struct Compared {
  std::unique_ptr<HeapModel> model;
  std::unique_ptr<SlotNames> names;
  std::vector<HeapSummary> heaps;
  std::vector<std::string> labels;
  HeapDiff diff;

  DiffView View() const {
    return {.heaps = heaps,
            .labels = labels,
            .model = model.get(),
            .names = names.get(),
            .diff = &diff};
  }
};

Compared Compare(const std::vector<Moment>& moments, const DiffRules& rules = {}) {
  Compared out;
  HeapPaths folded;
  std::unique_ptr<RootPaths> paths;
  for (const Moment& moment : moments) {
    out.model = MakeHeap(moment);
    out.names = std::make_unique<SlotNames>(*out.model);
    const Dominators dominators = ComputeDominators(out.model->graph);
    const DominatorTree tree(dominators);
    paths = std::make_unique<RootPaths>(out.model->graph);
    out.heaps.push_back(SummarizeHeap(*out.model, *out.names, *paths, dominators, tree, &folded));
    out.labels.push_back("shop.hindsight");
  }
  out.diff = CompareHeaps(out.heaps, *out.model, *out.names, *paths, folded, rules);
  return out;
}

TEST(HeapDiff, GrowthIsNamedWithItsOwner) {
  const Compared compared = Compare({{.orders = 100}, {.orders = 3100, .shift = 7}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  const PathGrowth& way = compared.diff.paths[0];
  EXPECT_EQ(TypeDisplayName(compared.model->dictionaries, way.type), "Shop.Order");
  EXPECT_EQ(OwnerParts(*compared.model, *compared.names, way.path),
            (std::vector<std::string>{"static Shop.Program.done_", "List<Order>._items", "Order[]",
                                      "Order"}));
  EXPECT_EQ(way.trend, Trend::kGrew);
  EXPECT_FALSE(way.is_new);
  EXPECT_EQ(way.series[0].objects, 100u);
  EXPECT_EQ(way.series[1].objects, 3100u);
  EXPECT_EQ(way.series[1].retained - way.series[0].retained, 3'000'000u);
  ASSERT_GE(compared.diff.types.size(), 1u);
  bool has_orders = false;
  for (const TypeChange& change : compared.diff.types) {
    has_orders = has_orders || change.type == "Shop.Order";
    EXPECT_NE(change.type, "byte[]");
  }
  EXPECT_TRUE(has_orders);
}

TEST(HeapDiff, WhatTheRuntimeWritesDownForTheRecorderIsNoGrowth) {
  const Compared compared = Compare({{.orders = 100}, {.orders = 100, .listens = true}});
  EXPECT_TRUE(compared.diff.paths.empty());
}

TEST(HeapDiff, SubscribersOfAnEventAreNamedAndNotTheArrayOfTheirDelegates) {
  const Compared compared = Compare({{.handlers = 10}, {.handlers = 300}, {.handlers = 600}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  const PathGrowth& way = compared.diff.paths[0];
  EXPECT_EQ(TypeDisplayName(compared.model->dictionaries, way.type), "Shop.View");
  EXPECT_EQ(way.series.back().objects, 600u);
  EXPECT_EQ(way.trend, Trend::kGrows);
}

TEST(HeapDiff, WhatWasNotThereIsNew) {
  const Compared compared = Compare({{.orders = 100}, {.orders = 100, .windows = 2000}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  EXPECT_TRUE(compared.diff.paths[0].is_new);
  EXPECT_EQ(OwnerParts(*compared.model, *compared.names, compared.diff.paths[0].path),
            (std::vector<std::string>{"static Shop.Program.hub_", "Hub._windows",
                                      "List<Window>._items", "Window[]", "Window"}));
}

TEST(HeapDiff, EqualHeapsHaveNoDifference) {
  const Compared compared =
      Compare({{.orders = 3000, .windows = 50}, {.orders = 3000, .windows = 50, .shift = 999}});
  EXPECT_TRUE(compared.diff.paths.empty());
  EXPECT_TRUE(compared.diff.types.empty());
  EXPECT_NE(DiffText(compared.View(), TextStyle{}).find("No difference."), std::string::npos);
}

TEST(HeapDiff, SmallDifferencesAreNoise) {
  const Compared compared = Compare({{.orders = 3000}, {.orders = 3030}, {.orders = 3060}});
  EXPECT_TRUE(compared.diff.paths.empty());
  EXPECT_TRUE(compared.diff.types.empty());
}

// A hundred orders more are 100,000 bytes.
TEST(HeapDiff, ADifferenceCountsFromItsRulesOn) {
  const auto reported = [](const DiffRules& rules) {
    return Compare({{.orders = 1000}, {.orders = 1100}}, rules).diff.paths.size();
  };
  const auto bytes =
      static_cast<double>(Compare({{.orders = 1000}, {.orders = 1100}}).heaps[0].bytes);
  EXPECT_EQ(reported({.min_bytes = 100'000}), 1u);
  EXPECT_EQ(reported({.min_bytes = 100'001}), 0u);
  EXPECT_EQ(reported({.min_share = 99'999 / bytes}), 1u);
  EXPECT_EQ(reported({.min_share = 100'002 / bytes}), 0u);
  EXPECT_EQ(reported({.min_change = 0.0999}), 1u);  // of the old value
  EXPECT_EQ(reported({.min_change = 0.1001}), 0u);
}

// It falls back by 200 of the 4000 that it grows by.
TEST(HeapDiff, WhatFallsBackByAShareOfItsGrowthStillGrows) {
  const auto trend = [](double fallback) {
    return Compare({{.orders = 500}, {.orders = 3000}, {.orders = 2800}, {.orders = 4500}},
                   {.fallback = fallback})
        .diff.paths.at(0)
        .trend;
  };
  EXPECT_EQ(trend(0.051), Trend::kGrows);
  EXPECT_EQ(trend(0.049), Trend::kComesAndGoes);
}

// Each new window has a picture of this many bytes.
TEST(HeapDiff, GrowthIsReportedWhereManyAreAndElseWhereMostOfItIs) {
  const auto type = [](const DiffRules& rules) {
    std::vector<HeapSummary> heaps;
    HeapPaths folded;
    std::unique_ptr<HeapModel> model;
    std::unique_ptr<SlotNames> names;
    std::unique_ptr<RootPaths> paths;
    for (const uint32_t windows : {10, 110}) {
      HeapBuilder heap;
      const ClassIndex window = heap.Class("Shop.Window", {"picture_"}, 1000);
      const ClassIndex picture = heap.Class("Shop.Picture", {}, 1000);
      const ObjectId all = heap.Add(heap.Array("Shop.Window"), 200);
      for (uint32_t i = 0; i < windows; ++i) {
        const ObjectId one = heap.Add(window);
        heap.Refer(one, "picture_", heap.Add(picture));
        heap.Refer(all, i, one);
      }
      heap.Static("Shop.Program", "all_", all);
      model = heap.Build();
      names = std::make_unique<SlotNames>(*model);
      paths = std::make_unique<RootPaths>(model->graph);
      const Dominators dominators = ComputeDominators(model->graph);
      heaps.push_back(
          SummarizeHeap(*model, *names, *paths, dominators, DominatorTree(dominators), &folded));
    }
    const HeapDiff diff = CompareHeaps(heaps, *model, *names, *paths, folded, rules);
    EXPECT_EQ(diff.paths.size(), 1u);
    return TypeDisplayName(model->dictionaries, diff.paths.at(0).type);
  };
  EXPECT_EQ(type({.carries = 0.49, .many_more = 100}), "Shop.Window");
  EXPECT_EQ(type({.carries = 0.49, .many_more = 101}), "Shop.Picture");
  EXPECT_EQ(type({.carries = 0.51, .many_more = 101}), "Shop.Window");
}

TEST(HeapDiff, GrowthThatGoesOnIsReported) {
  const Compared compared =
      Compare({{.orders = 500}, {.orders = 1500}, {.orders = 2400}, {.orders = 3500}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  EXPECT_EQ(compared.diff.paths[0].trend, Trend::kGrows);
  EXPECT_NE(DiffText(compared.View(), TextStyle{}).find("probably a leak"), std::string::npos);
}

TEST(HeapDiff, WhatComesAndGoesIsNoLeak) {
  const Compared compared =
      Compare({{.orders = 500}, {.orders = 3000}, {.orders = 700}, {.orders = 2500}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  EXPECT_EQ(compared.diff.paths[0].trend, Trend::kComesAndGoes);
  EXPECT_NE(DiffText(compared.View(), TextStyle{}).find("fluctuates: not a leak"),
            std::string::npos);
}

TEST(HeapDiff, WhatFilledAndStoppedHasLevelledOff) {
  const Compared compared = Compare({{.orders = 0}, {.orders = 3000}, {.orders = 3005}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  EXPECT_EQ(compared.diff.paths[0].trend, Trend::kLevelledOff);
}

TEST(HeapDiff, WhatGoesOnComesFirst) {
  const Compared compared = Compare({{.orders = 0, .windows = 100},
                                     {.orders = 3000, .windows = 300},
                                     {.orders = 100, .windows = 500},
                                     {.orders = 3000, .windows = 700}});
  ASSERT_EQ(compared.diff.paths.size(), 2u);
  EXPECT_EQ(TypeDisplayName(compared.model->dictionaries, compared.diff.paths[0].type),
            "Shop.Window");
  EXPECT_EQ(compared.diff.paths[1].trend, Trend::kComesAndGoes);
}

TEST(HeapDiff, WhatShrankIsAmongTheTypes) {
  const Compared compared = Compare({{.orders = 3000}, {.orders = 100}});
  EXPECT_TRUE(compared.diff.paths.empty());
  ASSERT_FALSE(compared.diff.types.empty());
  for (const TypeChange& change : compared.diff.types) EXPECT_EQ(change.trend, Trend::kShrank);
}

// A local holds them at first: later, the path to them is a different one.
TEST(HeapDiff, WhatHasAnotherOwnerAndBecameMoreIsGrowth) {
  const auto moved =
      Compare({{.orders = 3000, .is_shared = true}, {.orders = 4000}, {.orders = 5000}});
  ASSERT_EQ(moved.diff.paths.size(), 1u);
  const PathGrowth& way = moved.diff.paths[0];
  EXPECT_EQ(TypeDisplayName(moved.model->dictionaries, way.type), "Shop.Order");
  EXPECT_EQ(way.trend, Trend::kGrows);
  EXPECT_EQ(way.series.front().objects, 3000u);
  EXPECT_EQ(way.series.back().objects, 5000u);
  EXPECT_FALSE(way.is_new);
}

TEST(HeapDiff, WhatOnlyHasAnotherOwnerIsNoDifference) {
  // At first a local holds the orders as well, so that the list retains nothing of them by itself.
  const auto before = Compare({{.orders = 3000, .is_shared = true}, {.orders = 3000}});
  EXPECT_TRUE(before.diff.paths.empty());
  EXPECT_TRUE(before.diff.types.empty());
  const auto after = Compare({{.orders = 3000}, {.orders = 3000, .is_shared = true}});
  EXPECT_TRUE(after.diff.paths.empty());
  EXPECT_TRUE(after.diff.types.empty());
}

// Whatever else grew, an array that a running method now holds as well was there before.
TEST(HeapDiff, AFewObjectsThatOnlyHaveAnotherOwnerAreNotWhatGrew) {
  const Compared compared =
      Compare({{.orders = 1}, {.orders = 1, .windows = 200, .is_shared = true}});
  ASSERT_EQ(compared.diff.paths.size(), 1u);
  EXPECT_EQ(TypeDisplayName(compared.model->dictionaries, compared.diff.paths[0].type),
            "Shop.Window");
}

TEST(HeapDiff, TextsFitTheirWidth) {
  const Compared compared = Compare({{.orders = 500}, {.orders = 1500, .windows = 300}});
  for (const size_t width : {size_t{60}, size_t{80}, size_t{200}}) {
    TextStyle style;
    style.width = width;
    std::istringstream lines(DiffText(compared.View(), style));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(TextColumns(line), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(HeapDiff, JsonHasTheSeries) {
  const Compared compared = Compare({{.orders = 100}, {.orders = 3100}});
  const std::string json = DiffJson(compared.View());
  for (const char* part : {"\"trend\": \"grew\"", "\"Shop.Program.done_\"", "3100"}) {
    EXPECT_NE(json.find(part), std::string::npos) << json;
  }
}

}  // namespace
}  // namespace hindsight::analyzer
