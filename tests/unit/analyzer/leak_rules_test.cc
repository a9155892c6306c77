// The thresholds of LeakRules, each at its edge: the same heap on one side of it, and on the other.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/heap/leaks.h"
#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

// 2,000 orders of 1000 bytes in a static list, next to 4 MiB of other things.
Looked LookAtList(const LeakRules& rules) {
  HeapBuilder heap;
  AddBuffers(heap);
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
  heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders).list);
  return Look(heap, rules);
}

TEST(LeakRules, ACollectionIsASuspectFromItsRulesOn) {
  const auto suspects = [](const LeakRules& rules) {
    return LookAtList(rules).report.suspects.size();
  };
  const Looked usual = LookAtList({});
  ASSERT_EQ(usual.report.suspects.size(), 1u);
  const uint64_t retained = usual.report.suspects[0].retained;
  const double share = usual.report.suspects[0].share;
  EXPECT_EQ(suspects({.min_bytes = retained}), 1u);
  EXPECT_EQ(suspects({.min_bytes = retained + 1}), 0u);
  EXPECT_EQ(suspects({.min_share = share * 0.999}), 1u);
  EXPECT_EQ(suspects({.min_share = share * 1.001}), 0u);
  const auto confidence = [](const LeakRules& rules) {
    return LookAtList(rules).report.suspects.at(0).confidence;
  };
  EXPECT_EQ(confidence({.large_share = share * 0.999}), LeakConfidence::kMedium);
  EXPECT_EQ(confidence({.large_share = share * 1.001}), LeakConfidence::kLow);
  // If there are fewer, they are a suspect by their share, with less confidence.
  EXPECT_EQ(confidence({.min_count = kPlenty}), LeakConfidence::kMedium);
  EXPECT_EQ(confidence({.min_count = kPlenty + 1}), LeakConfidence::kLow);
  EXPECT_EQ(suspects({.min_count = kPlenty + 1, .few_share = share * 0.999}), 1u);
  EXPECT_EQ(suspects({.min_count = kPlenty + 1, .few_share = share * 1.001}), 0u);
}

TEST(LeakRules, FewOfAGenericTypeWithYoursAsArgumentAreASuspectByTheirShare) {
  const auto look = [](std::string_view argument, uint64_t count) {
    HeapBuilder heap;
    AddBuffers(heap);
    const TypeId channel =
        heap.Type("System.Threading.Channels.UnboundedChannel`1", {heap.Type(argument)});
    const ClassIndex type = heap.Class(channel, {}, 20'000);
    const ObjectId all = heap.Add(heap.Array(channel), count);
    for (uint64_t i = 0; i < count; ++i) heap.Refer(all, i, heap.Add(type));
    heap.Static("Shop.Feed", "subscribers_", all);
    return Look(heap);
  };
  const LeakRules rules;
  const Looked few = look("Shop.Order", rules.few_count);
  ASSERT_EQ(few.report.suspects.size(), 1u);
  EXPECT_EQ(few.report.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_EQ(few.report.suspects[0].count, rules.few_count);
  EXPECT_TRUE(look("Shop.Order", rules.few_count - 1).report.suspects.empty());
  EXPECT_TRUE(look("System.String", rules.few_count).report.suspects.empty());
}

// 200 entries of a cache of the framework, of 100,000 bytes each.
TEST(LeakRules, WhatIsMostOfTheHeapIsASuspectEvenIfItIsTheFrameworks) {
  const auto look = [](const LeakRules& rules, uint64_t count = 200) {
    HeapBuilder heap;
    const ClassIndex type = heap.Class("System.Threading.CancellationTokenSource", {}, 100'000);
    const ObjectId all =
        heap.Add(heap.Array(heap.Type("System.Threading.CancellationTokenSource")), count);
    for (uint64_t i = 0; i < count; ++i) heap.Refer(all, i, heap.Add(type));
    heap.Static("System.Threading.Timer", "all_", all);
    return Look(heap, rules).report;
  };
  LeakRules rules;
  rules.most_bytes = 1 << 20;
  const LeakReport usual = look(rules);
  ASSERT_EQ(usual.suspects.size(), 1u);
  EXPECT_EQ(usual.suspects[0].count, 200u);
  const uint64_t retained = usual.suspects[0].retained;
  const double share = usual.suspects[0].share;
  rules.most_bytes = retained;
  EXPECT_EQ(look(rules).suspects.size(), 1u);
  rules.most_bytes = retained + 1;
  EXPECT_TRUE(look(rules).suspects.empty());
  rules.most_bytes = retained;
  rules.most_of_heap = share * 1.001;
  EXPECT_TRUE(look(rules).suspects.empty());
  rules = {.most_bytes = 1 << 20};
  EXPECT_TRUE(look(rules, rules.few_count - 1).suspects.empty());
}

TEST(LeakRules, AShapeIsASuspectFromItsRulesOn) {
  const auto look = [](const LeakRules& rules) {
    HeapBuilder heap;
    AddBuffers(heap);
    for (const ObjectId one : AddMany(heap, heap.Class("Shop.Order", {}, 1000))) heap.Root(one);
    return Look(heap, rules);
  };
  const Looked usual = look({});
  ASSERT_EQ(usual.report.suspects.size(), 1u);
  ASSERT_EQ(usual.report.suspects[0].kind, LeakKind::kHandles);
  const uint64_t retained = usual.report.suspects[0].retained;
  const double share = usual.report.suspects[0].share;
  EXPECT_EQ(look({.min_shape_bytes = retained}).report.suspects.size(), 1u);
  EXPECT_EQ(look({.min_shape_bytes = retained + 1}).report.suspects.size(), 0u);
  // Few of a shape that retain much are as good as many.
  LeakRules rules;
  rules.min_count = kPlenty + 1;
  rules.few_share = 1;  // their share alone makes no suspect
  rules.few_of_a_shape = kPlenty;
  rules.large_share = share * 0.999;
  EXPECT_EQ(look(rules).report.suspects.size(), 1u);
  rules.large_share = share * 1.001;
  EXPECT_EQ(look(rules).report.suspects.size(), 0u);
  rules.large_share = share * 0.999;
  rules.few_of_a_shape = kPlenty + 1;
  EXPECT_EQ(look(rules).report.suspects.size(), 0u);
}

// Half of the subscribers are also held elsewhere.
TEST(LeakRules, NearlyAllIsAShareOfThoseLookedAt) {
  const auto look = [](double nearly_all) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex handler = Delegate(heap, "System.Action");
    const ObjectId all = heap.Add(handler), array = heap.Add(heap.Array("System.Object"), 4096);
    heap.Refer(all, "_invocationList", array);
    std::vector<ObjectId> windows = AddMany(heap, heap.Class("Shop.Window", {}, 40));
    for (uint32_t i = 0; i < kPlenty; ++i) {
      const ObjectId one = heap.Add(handler);
      heap.Refer(one, "_target", windows[i]);
      heap.Refer(array, i, one);
    }
    windows.resize(kPlenty / 2);
    heap.Static("Shop.Alarm", "Raised", all);
    heap.Static("Shop.Program", "open_", AddList(heap, "Shop.Window", windows).list);
    LeakRules rules;
    rules.nearly_all = nearly_all;
    return Look(heap, rules);
  };
  EXPECT_EQ(look(0.48).report.suspects.at(0).confidence, LeakConfidence::kHigh);
  EXPECT_EQ(look(0.52).report.suspects.at(0).confidence, LeakConfidence::kMedium);
}

// Two lists share half of them, and two others the other half.
TEST(LeakRules, MostAreHeldByOnePathFromAShareOn) {
  const auto look = [](double most) {
    HeapBuilder heap;
    const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
    const std::vector<ObjectId> old(orders.begin(), orders.begin() + kPlenty / 2);
    const std::vector<ObjectId> young(orders.begin() + kPlenty / 2, orders.end());
    heap.Static("Shop.Program", "all_", AddList(heap, "Shop.Order", old).list);
    heap.Static("Shop.Report", "recent_", AddList(heap, "Shop.Order", old).list);
    heap.Static("Shop.Cart", "open_", AddList(heap, "Shop.Order", young).list);
    heap.Static("Shop.Till", "paid_", AddList(heap, "Shop.Order", young).list);
    LeakRules rules;
    rules.most = most;
    return Look(heap, rules);
  };
  EXPECT_EQ(look(0.48).report.suspects.size(), 1u);
  const Looked scattered = look(0.52);
  EXPECT_TRUE(scattered.report.suspects.empty());
  ASSERT_EQ(scattered.report.cleared.size(), 1u);
  EXPECT_EQ(scattered.report.cleared[0].reason, "no common owner");
}

TEST(LeakRules, WhatRetainsAPartOfTheHeapIsLookedAt) {
  const auto look = [](uint64_t parts_of_heap) {
    HeapBuilder heap;
    AddBuffers(heap);
    const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
    heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders).list);
    LeakRules rules;
    rules.parts_of_heap = parts_of_heap;
    return Look(heap, rules);
  };
  // 2 MB of 6.2 MB are more than a fourth, and less than a third
  EXPECT_EQ(look(4).report.suspects.size(), 1u);
  EXPECT_TRUE(look(3).report.suspects.empty());
}

TEST(LeakRules, SoManyAreListedThatAreNoSuspects) {
  const auto look = [](size_t most_cleared) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex numbers = heap.PlainArray("System.Int32", 4);
    const ObjectId all = heap.Add(heap.Array("System.Int32[]"), 4);
    for (uint64_t i = 0; i < 4; ++i) heap.Refer(all, i, heap.Add(numbers, 1 << 18));
    heap.Static("Shop.Program", "numbers_", all);
    LeakRules rules;
    rules.most_cleared = most_cleared;
    return Look(heap, rules);
  };
  EXPECT_EQ(look(2).report.cleared.size(), 2u);
  EXPECT_EQ(look(1).report.cleared.size(), 1u);
}

// Three of four call back to a window, and the fourth to a door.
TEST(LeakRules, WhatAccumulatesIsTheClassThatAShareOfThemContains) {
  const auto look = [](double same_contents) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex handler = Delegate(heap, "System.Action");
    const ClassIndex window = heap.Class("Shop.Window", {}, 1000);
    const ClassIndex door = heap.Class("Shop.Door", {}, 1000);
    const ObjectId all = heap.Add(handler), array = heap.Add(heap.Array("System.Object"), 4096);
    heap.Refer(all, "_invocationList", array);
    for (uint32_t i = 0; i < kPlenty; ++i) {
      const ObjectId one = heap.Add(handler);
      heap.Refer(one, "_target", heap.Add(i % 1024 < 768 ? window : door));
      heap.Refer(array, i, one);
    }
    heap.Static("Shop.Alarm", "Raised", all);
    LeakRules rules;
    rules.same_contents = same_contents;
    const Looked looked = Look(heap, rules);
    return looked.Type(looked.report.suspects.at(0).type);
  };
  EXPECT_EQ(look(0.7), "Shop.Window");
  EXPECT_EQ(look(0.8), "System.Action");
}

// Likewise for what nodes of the framework hold, other than delegates.
TEST(LeakRules, NodesAreAboutTheClassThatAShareOfThemContains) {
  const auto look = [](double same_contents) {
    HeapBuilder heap;
    AddBuffers(heap);
    const std::string name = "System.Collections.Generic.LinkedListNode`1";
    const ClassIndex node =
        heap.Class(heap.Type(name, {heap.Type("System.Object")}), {"next", "item"});
    const ClassIndex window = heap.Class("Shop.Window", {}, 1000);
    const ClassIndex door = heap.Class("Shop.Door", {}, 1000);
    const std::vector<ObjectId> nodes = AddMany(heap, node);
    for (uint32_t i = 0; i < kPlenty; ++i) {
      if (i > 0) heap.Refer(nodes[i - 1], "next", nodes[i]);
      heap.Refer(nodes[i], "item", heap.Add(i % 1024 < 768 ? window : door));
    }
    heap.Static("Shop.Program", "first_", nodes[0]);
    LeakRules rules;
    rules.same_contents = same_contents;
    const Looked looked = Look(heap, rules);
    return looked.Type(looked.report.suspects.at(0).type);
  };
  EXPECT_EQ(look(0.7), "Shop.Window");
  EXPECT_EQ(look(0.8), "System.Collections.Generic.LinkedListNode<object>");
}

// Nine of ten samples came from Main.
TEST(LeakRules, CallersAreNamedAsFarAsAShareOfTheSamplesAgrees) {
  const auto path = [](double same_callers) {
    HeapBuilder heap;
    AddBuffers(heap);
    const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
    heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders, kPlenty).list);
    for (uint32_t i = 0; i < 10; ++i) {
      heap.Survivor(orders[i * 100],
                    {"Shop.Web.Post", i < 9 ? "Shop.Program.Main" : "Shop.Import.Read"});
    }
    LeakRules rules;
    rules.same_callers = same_callers;
    return Look(heap, rules).report.suspects.at(0).source.value().path;
  };
  EXPECT_EQ(path(0.89), (std::vector<std::string>{"Shop.Web.Post", "Shop.Program.Main"}));
  EXPECT_EQ(path(0.91), (std::vector<std::string>{"Shop.Web.Post"}));
}

// Fewer samples of the objects themselves are not shown: what they hold counts with them.
TEST(LeakRules, SoManySamplesOfThemReportWhereTheyCameFrom) {
  const auto is_held = [](uint32_t samples) {
    HeapBuilder heap;
    AddBuffers(heap);
    const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {"_line"}, 500));
    const std::vector<ObjectId> lines = AddMany(heap, heap.Class("Shop.Line", {}, 500));
    for (uint32_t i = 0; i < kPlenty; ++i) heap.Refer(orders[i], "_line", lines[i]);
    heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders, kPlenty).list);
    for (uint32_t i = 0; i < samples; ++i) heap.Survivor(orders[i * 100], {"Shop.Web.Post"});
    heap.Survivor(lines[0], {"Shop.Order..ctor"});
    return Look(heap).report.suspects.at(0).source.value().is_held;
  };
  EXPECT_FALSE(is_held(kFewSamples));
  EXPECT_TRUE(is_held(kFewSamples - 1));
}

}  // namespace
}  // namespace hindsight::analyzer
