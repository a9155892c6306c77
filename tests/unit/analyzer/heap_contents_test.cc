// Collections, strings, generations.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/collections.h"
#include "analyzer/analyses/heap/generations.h"
#include "analyzer/analyses/heap/strings.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

CollectionReport Collections(const HeapModel& model) {
  const SlotNames names(model);
  return AnalyzeCollections(model, names, RootPaths(model.graph));
}

StringReport Strings(const HeapModel& model, size_t top = 10) {
  const SlotNames names(model);
  return AnalyzeStrings(model, names, RootPaths(model.graph), top);
}

TEST(Collections, WasteWhatTheirCountDoesNotFill) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("System.Int64")}), {"_items"});
  heap.AddValueField(list, "_size");
  const ClassIndex array = heap.PlainArray("System.Int64", 8);
  const ClassIndex order = heap.Class("Shop.Order", {"_lines"});
  const ObjectId orders = heap.Add(heap.Array("Shop.Order"), 3);
  const int64_t counts[] = {3, 0, 99};  // out of 10, out of none, more than the capacity
  const uint64_t capacities[] = {10, 0, 4};
  for (uint64_t i = 0; i < 3; ++i) {
    const ObjectId owner = heap.Add(order);
    const ObjectId lines = heap.Add(list);
    const ObjectId items = heap.Add(array, capacities[i]);
    heap.Refer(orders, i, owner);
    heap.Refer(owner, "_lines", lines);
    heap.Refer(lines, "_items", items);
    heap.Value(lines, "_size", counts[i]);
  }
  const ObjectId garbage = heap.Add(list);
  heap.Value(garbage, "_size", 0);
  heap.Root(orders);
  const auto model = heap.Build();
  const CollectionReport report = Collections(*model);
  EXPECT_FALSE(report.is_estimate);
  EXPECT_EQ(report.totals.objects, 3u);
  EXPECT_EQ(report.totals.empty, 1u);
  EXPECT_EQ(report.totals.used, 3 + 4u);
  EXPECT_EQ(report.totals.capacity, 14u);
  EXPECT_EQ(report.totals.wasted, 7 * 8u);
  ASSERT_EQ(report.owners.size(), 1u);
  EXPECT_EQ(report.owners[0].owner, "Shop.Order._lines");
  EXPECT_EQ(report.owners[0].totals.objects, 3u);
}

TEST(Collections, OfDictionariesAreFreeWhereEntriesWereRemoved) {
  HeapBuilder heap;
  const TypeId item = heap.Type("Shop.Item");
  const ClassIndex map = heap.Class(
      heap.Type("System.Collections.Generic.Dictionary`2", {item, item}), {"_buckets", "_entries"});
  heap.AddValueField(map, "_count");
  heap.AddValueField(map, "_freeCount");
  const ClassIndex derived = heap.Class("Shop.Index", {"_buckets", "_entries"});
  heap.AddValueField(derived, "_count");
  heap.AddValueField(derived, "_freeCount");
  heap.Edit(derived).base = map;
  const ClassIndex entries =
      heap.StructArray(heap.Type("System.Collections.Generic.Dictionary`2+Entry", {item, item}),
                       {"key", "value"}, 24);
  for (const ClassIndex type : {map, derived}) {
    const ObjectId id = heap.Add(type);
    const ObjectId array = heap.Add(entries, 17);
    heap.Refer(id, "_entries", array);
    heap.Value(id, "_count", 12);
    heap.Value(id, "_freeCount", 5);
    heap.Static("Shop.Cache", "_map" + std::to_string(type), id);
  }
  const auto model = heap.Build();
  const CollectionReport report = Collections(*model);
  ASSERT_EQ(report.types.size(), 2u);
  for (const CollectionTypeRow& row : report.types) {
    EXPECT_EQ(row.totals.used, 7u);
    EXPECT_EQ(row.totals.wasted, 10 * (24 + 4u));
  }
  EXPECT_EQ(report.owners.size(), 2u);
  EXPECT_TRUE(report.owners[0].owner.starts_with("static Shop.Cache._map"));
}

TEST(Collections, AreEstimatedWithoutCountsWhereElementsAreReferences) {
  HeapBuilder heap;
  const TypeId item = heap.Type("Shop.Item");
  const ClassIndex list =
      heap.Class(heap.Type("System.Collections.Generic.List`1", {item}), {"_items"});
  const ClassIndex numbers = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("System.Int32")}), {"_items"});
  const ObjectId a = heap.Add(list);
  const ObjectId slots = heap.Add(heap.Array(item), 8);
  heap.Refer(a, "_items", slots);
  heap.Refer(slots, uint64_t{2}, a);
  const ObjectId b = heap.Add(numbers);
  heap.Refer(b, "_items", heap.Add(heap.PlainArray("System.Int32", 4), 8));
  heap.Root(a);
  heap.Root(b, RootKind::kStack, "Shop.Program.Main");
  const auto model = heap.Build();
  const CollectionReport report = Collections(*model);
  EXPECT_TRUE(report.is_estimate);
  EXPECT_EQ(report.totals.objects, 2u);
  EXPECT_EQ(report.totals.unknown, 1u);
  EXPECT_EQ(report.totals.used, 1u);
  EXPECT_EQ(report.totals.wasted, 7 * 8u);
  EXPECT_EQ(report.owners[0].owner, "strong handle");
  EXPECT_EQ(report.owners[1].owner, "stack Shop.Program.Main");
}

TEST(Collections, OfConcurrentDictionariesCountBucketsInUse) {
  HeapBuilder heap;
  const TypeId item = heap.Type("Shop.Item");
  const ClassIndex map = heap.Class(
      heap.Type("System.Collections.Concurrent.ConcurrentDictionary`2", {item, item}), {"_tables"});
  const ClassIndex tables = heap.Class(
      heap.Type("System.Collections.Concurrent.ConcurrentDictionary`2+Tables", {item, item}),
      {"_comparer", "_buckets"});
  const ClassIndex buckets = heap.StructArray(heap.Type("VolatileNode"), {"_node"});
  const ObjectId a = heap.Add(map);
  const ObjectId t = heap.Add(tables);
  const ObjectId array = heap.Add(buckets, 31);
  heap.Refer(a, "_tables", t);
  heap.Refer(t, "_buckets", array);
  heap.Refer(array, uint64_t{30}, heap.Add(heap.Class("Node")));
  heap.Root(a);
  const auto model = heap.Build();
  const CollectionReport report = Collections(*model);
  EXPECT_FALSE(report.is_estimate);
  EXPECT_EQ(report.totals.used, 1u);
  EXPECT_EQ(report.totals.capacity, 31u);
}

TEST(Strings, DuplicatesAreFoundWithTheirHolder) {
  HeapBuilder heap;
  heap.AddValueField(heap.String(), "", ValueField::Kind::kText);
  const ClassIndex order = heap.Class("Shop.Order", {"_currency", "_name"});
  const ObjectId orders = heap.Add(heap.Array("Shop.Order"), 5);
  for (uint64_t i = 0; i < 5; ++i) {
    const ObjectId id = heap.Add(order);
    heap.Refer(orders, i, id);
    heap.Refer(id, "_currency", heap.AddString("EUR"));
    heap.Refer(id, "_name", heap.AddString(i < 2 ? "same" : "name " + std::to_string(i)));
  }
  heap.AddString("EUR");  // garbage
  heap.Root(orders);
  const auto model = heap.Build();
  const StringReport report = Strings(*model);
  EXPECT_TRUE(report.has_contents);
  EXPECT_EQ(report.objects, 10u);
  EXPECT_EQ(report.distinct, 5u);
  EXPECT_EQ(report.duplicate_texts, 2u);
  ASSERT_EQ(report.duplicates.size(), 2u);
  EXPECT_EQ(report.duplicates[0].text, "EUR");
  EXPECT_EQ(report.duplicates[0].objects, 5u);
  EXPECT_EQ(report.duplicates[0].wasted, 4 * 32u);
  EXPECT_EQ(report.duplicates[0].owner, "Shop.Order._currency");
  EXPECT_EQ(report.duplicates[0].owner_objects, 5u);
  EXPECT_EQ(report.wasted, 5 * 32u);
  ASSERT_EQ(report.owners.size(), 2u);
  EXPECT_EQ(report.owners[0].owner, "Shop.Order._currency");
  EXPECT_EQ(report.owners[0].wasted, 4 * 32u);
  EXPECT_EQ(Strings(*model, 1).duplicates.size(), 1u);
}

TEST(Strings, AreCountedByLengthWithoutContents) {
  HeapBuilder heap;
  const ObjectId all = heap.Add(heap.Array("System.String"), 4);
  for (uint64_t i = 0; i < 4; ++i) {
    heap.Refer(all, i, heap.AddString(std::string(i == 0 ? 0 : 100 * i, 'x')));
  }
  heap.Static("Shop.Texts", "s_all", all);
  const auto model = heap.Build();
  const StringReport report = Strings(*model);
  EXPECT_FALSE(report.has_contents);
  EXPECT_EQ(report.characters, 600u);
  ASSERT_EQ(report.lengths.size(), 4u);
  EXPECT_EQ(report.lengths[0].to, 0u);
  EXPECT_EQ(report.lengths[1].from, 64u);
  EXPECT_EQ(report.lengths[1].to, 127u);
  EXPECT_EQ(report.lengths[3].from, 256u);
  ASSERT_EQ(report.owners.size(), 1u);
  EXPECT_EQ(report.owners[0].owner, "string[]");
}

TEST(Generations, ShowWhereThingsLieAndWhatWaits) {
  HeapBuilder heap;
  const ClassIndex item = heap.Class("Shop.Item");
  const ClassIndex file = heap.Class("Shop.File", {"_buffer", "_inner"});
  heap.Edit(file).finalizable = true;
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  const ObjectId outer = heap.Add(file);
  const ObjectId inner = heap.Add(file);
  const ObjectId queued = heap.Add(file);
  heap.Add(file);  // garbage
  heap.StartGeneration(Generation::kGen0);
  const ObjectId young = heap.Add(item);
  heap.StartGeneration(Generation::kLarge);
  const ObjectId buffer = heap.Add(bytes, 100'000);
  heap.Refer(outer, "_inner", inner);
  heap.Refer(inner, "_buffer", buffer);
  heap.Root(outer);
  heap.Root(young, RootKind::kPinnedHandle);
  heap.Root(young, RootKind::kPinnedStack);
  heap.Root(queued, RootKind::kFinalizerQueue);
  heap.Static("Shop.Cache", "_file", outer);
  const auto model = heap.Build();
  const GenerationReport report = AnalyzeGenerations(*model, ComputeDominators(model->graph));
  const auto row = [&](Generation g) { return report.generations[static_cast<size_t>(g)]; };
  EXPECT_EQ(row(Generation::kGen2).objects, 4u);
  EXPECT_EQ(row(Generation::kGen2).unreachable_objects, 1u);
  EXPECT_EQ(row(Generation::kGen0).objects, 1u);
  EXPECT_EQ(row(Generation::kGen0).pinned_objects, 1u);
  EXPECT_EQ(row(Generation::kLarge).bytes, 100'024u);
  EXPECT_EQ(row(Generation::kPinned).pinned_objects, 0u);  // the array of statics
  EXPECT_EQ(report.pinned.objects, 1u);
  EXPECT_EQ(report.finalizer_queue.objects, 1u);
  ASSERT_EQ(report.finalizable.types.size(), 1u);
  EXPECT_EQ(report.finalizable.types[0].objects, 2u);
  EXPECT_EQ(report.finalizable.types[0].retained, 32 + 32 + 100'024u);
  ASSERT_FALSE(report.types.empty());
  EXPECT_EQ(report.types[0].all_bytes, 100'024u);
}

}  // namespace
}  // namespace hindsight::analyzer
