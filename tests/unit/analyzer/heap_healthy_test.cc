// What healthy programs keep is not suspected, however large it is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/report/heap/leaks_report.h"
#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

TEST(NoLeaks, ABoundedCacheThatReplacesItsEntriesIsNone) {
  HeapBuilder heap;
  const TypeId text = heap.Type("System.String");
  const TypeId page = heap.Type("Shop.Page");
  const ClassIndex cache =
      heap.Class(heap.Type("System.Collections.Generic.Dictionary`2", {text, page}), {"_entries"});
  for (const char* field : {"_count", "_freeCount", "_version"}) heap.AddValueField(cache, field);
  const ClassIndex entries = heap.StructArray(
      heap.Type("System.Collections.Generic.Dictionary`2+Entry", {text, page}), {"key", "value"});
  const ClassIndex body = heap.Class(page, {}, 1000);
  const ObjectId root = heap.Add(cache), array = heap.Add(entries, kPlenty);
  heap.Refer(root, "_entries", array);
  heap.Value(root, "_count", kPlenty);
  heap.Value(root, "_version", 90'000);
  for (uint32_t i = 0; i < kPlenty; ++i) {
    heap.Refer(array, i * 2, heap.AddString("key"));
    heap.Refer(array, i * 2 + 1, heap.Add(body));
  }
  heap.Static("Shop.Program", "cache_", root);
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  ASSERT_EQ(looked.report.cleared.size(), 1u);
  EXPECT_NE(looked.report.cleared[0].reason.find("entries are removed or replaced"),
            std::string::npos);
}

TEST(NoLeaks, PoolsOfBuffersAreNone) {
  HeapBuilder heap;
  AddBuffers(heap);
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  ASSERT_EQ(looked.report.cleared.size(), 1u);
  EXPECT_EQ(looked.report.cleared[0].reason, "few large arrays: buffers or tables");
}

TEST(NoLeaks, TheFrameworksOwnTablesAreNone) {
  HeapBuilder heap;
  const std::vector<ObjectId> types = AddMany(heap, heap.Class("System.RuntimeType", {}, 1000));
  heap.Static("System.Reflection.Cache", "s_types",
              AddList(heap, "System.RuntimeType", types).list);
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  ASSERT_EQ(looked.report.cleared.size(), 1u);
  EXPECT_EQ(looked.report.cleared[0].reason, "owned by the framework, from the root down");
}

TEST(NoLeaks, ALocalListMayBeWorkInProgress) {
  HeapBuilder heap;
  const std::vector<ObjectId> rows = AddMany(heap, heap.Class("Shop.Row", {}, 1000));
  heap.Root(AddList(heap, "Shop.Row", rows).list, RootKind::kStack, "Shop.Report.Make");
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_NE(looked.report.suspects[0].evidence.back().find("work in progress"), std::string::npos);
}

// The list of an async method that awaits something: a timer will resume it.
TEST(NoLeaks, AListOfAnAsyncMethodMayBeWorkInProgress) {
  for (const bool is_optimized : {true, false}) {
    HeapBuilder heap;
    const TypeId machine = heap.Type("Shop.Import+<Read>d__4");
    const ClassIndex box = heap.Class(
        heap.Type("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1",
                  {heap.Type("System.Threading.Tasks.VoidTaskResult"), machine}),
        {is_optimized ? "StateMachine.rows" : "StateMachine"});
    const std::vector<ObjectId> rows = AddMany(heap, heap.Class("Shop.Row", {}, 1000));
    const ObjectId list = AddList(heap, "Shop.Row", rows).list;
    const ObjectId method = heap.Add(box);
    if (is_optimized) {
      heap.Refer(method, "StateMachine.rows", list);
    } else {
      const ObjectId locals = heap.Add(heap.Class(machine, {"rows"}));
      heap.Refer(method, "StateMachine", locals);
      heap.Refer(locals, "rows", list);
    }
    const ClassIndex timer = heap.Class("System.Threading.TimerQueue", {"_state"});
    const ObjectId wakes = heap.Add(timer);
    heap.Refer(wakes, "_state", method);
    heap.Static("System.Threading.TimerQueue", "s_all", wakes);
    const Looked looked = Look(heap);
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kLow);
    EXPECT_NE(looked.report.suspects[0].evidence.back().find("work in progress"),
              std::string::npos);
  }
}

TEST(NoLeaks, FewObjectsOfTheApplicationsAreASuspectOnlyIfTheyAreMuchOfTheHeap) {
  const LeakRules rules;
  const auto look = [](uint32_t count, uint32_t kibibytes) {
    HeapBuilder heap;
    AddBuffers(heap);  // 4 MiB
    std::vector<ObjectId> visits;
    const ClassIndex visit = heap.Class("Shop.Visit", {}, kibibytes << 10);
    for (uint32_t i = 0; i < count; ++i) visits.push_back(heap.Add(visit));
    heap.Static("Shop.Program", "visits_", AddList(heap, "Shop.Visit", visits).list);
    return Look(heap).report;
  };
  const LeakReport few = look(rules.few_count, 11);  // 1.1 MiB: 21 %
  ASSERT_EQ(few.suspects.size(), 1u);
  EXPECT_EQ(few.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_TRUE(look(rules.few_count - 1, 11).suspects.empty());
  EXPECT_TRUE(look(rules.few_count, 10).suspects.empty());  // less than 1 MiB
}

TEST(NoLeaks, ASmallListOfManyIsNone) {
  HeapBuilder heap;
  AddBuffers(heap);
  const std::vector<ObjectId> articles = AddMany(heap, heap.Class("Shop.Article", {}, 100));
  heap.Static("Shop.Program", "catalogue_", AddList(heap, "Shop.Article", articles).list);
  EXPECT_TRUE(Look(heap).report.suspects.empty());
}

TEST(NoLeaks, WhatIsHeldInManyWaysHasNoOwner) {
  HeapBuilder heap;
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
  for (int holder = 0; holder < 40; ++holder) {  // each order is in two of them
    const ClassIndex type = heap.Class("Shop.Holder" + std::to_string(holder), {"_orders"});
    const ObjectId one = heap.Add(type), array = heap.Add(heap.Array("Shop.Order"), kPlenty);
    heap.Refer(one, "_orders", array);
    for (uint32_t i = 0; i < kPlenty; ++i) {
      const int first = static_cast<int>(i % 20) * 2;
      if (holder == first || holder == first + 1) heap.Refer(array, i, orders[i]);
    }
    heap.Static("Shop.Program", "holder" + std::to_string(holder), one);
  }
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  ASSERT_EQ(looked.report.cleared.size(), 1u);
  EXPECT_EQ(looked.report.cleared[0].reason, "no common owner");
}

TEST(NoLeaks, AnEmptyHeapIsHealthy) {
  HeapBuilder heap;
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  const std::string text = LeaksText(*looked.model, *looked.names, looked.report, TextStyle{});
  EXPECT_NE(text.find("No leak suspects."), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
