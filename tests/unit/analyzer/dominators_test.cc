// Dominators and retained sizes against the definition: an object dominates what cannot be reached
// without it.
#include "analyzer/analyses/heap/dominators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/heap_builder.h"

namespace hindsight::testing {
namespace {

using analyzer::ComputeDominators;
using analyzer::Dominators;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::kNoObject;
using analyzer::kSuperRoot;
using analyzer::ObjectId;
using analyzer::RootKind;

// What can be reached if `without` were not there.
std::vector<bool> Reach(const HeapGraph& graph, ObjectId without) {
  std::vector<bool> reached(graph.size());
  std::vector<ObjectId> left;
  const auto see = [&](ObjectId id) {
    if (id == without || reached[id]) return;
    reached[id] = true;
    left.push_back(id);
  };
  for (const analyzer::HeapRoot& root : graph.roots()) {
    if (root.kind != RootKind::kWeakHandle) see(root.object);
  }
  while (!left.empty()) {
    const ObjectId id = left.back();
    left.pop_back();
    for (const ObjectId target : graph.References(id)) see(target);
    for (const analyzer::HeapDependent& pair : graph.dependents()) {
      if (pair.key == id) see(pair.value);
    }
  }
  return reached;
}

void ExpectDefinition(const HeapGraph& graph) {
  const Dominators result = ComputeDominators(graph);
  const std::vector<bool> reached = Reach(graph, kNoObject);
  const uint32_t size = graph.size();
  // strict[b] contains everything that dominates b, except b and the roots.
  std::vector<std::vector<ObjectId>> strict(size);
  uint64_t reachable = 0, reachable_bytes = 0, all_bytes = 0;
  for (ObjectId a = 0; a < size; ++a) {
    all_bytes += graph.Bytes(a);
    if (!reached[a]) continue;
    ++reachable;
    reachable_bytes += graph.Bytes(a);
    const std::vector<bool> rest = Reach(graph, a);
    uint64_t retained = 0;
    for (ObjectId b = 0; b < size; ++b) {
      if (!reached[b] || rest[b]) continue;
      retained += graph.Bytes(b);
      if (b != a) strict[b].push_back(a);
    }
    ASSERT_EQ(result.retained[a], retained) << a;
  }
  for (ObjectId b = 0; b < size; ++b) {
    if (!reached[b]) {
      ASSERT_EQ(result.immediate[b], kNoObject);
      ASSERT_EQ(result.retained[b], 0u);
      continue;
    }
    // The immediate one is dominated by all others: it has the most dominators itself.
    ObjectId nearest = kSuperRoot;
    for (const ObjectId a : strict[b]) {
      if (nearest == kSuperRoot || strict[a].size() > strict[nearest].size()) nearest = a;
    }
    ASSERT_EQ(result.immediate[b], nearest) << b;
  }
  EXPECT_EQ(result.reachable_objects, reachable);
  EXPECT_EQ(result.reachable_bytes, reachable_bytes);
  EXPECT_EQ(result.unreachable_objects, size - reachable);
  EXPECT_EQ(result.unreachable_bytes, all_bytes - reachable_bytes);
}

TEST(Dominators, OfRandomGraphsAreTheDefinition) {
  std::mt19937 random(20261121);
  const auto up_to = [&random](uint32_t limit) { return random() % (limit + 1); };
  for (int round = 0; round < 3000; ++round) {
    HeapBuilder heap;
    const auto array = heap.Array("System.Object");
    const uint32_t size = 1 + up_to(24);
    const uint32_t density = 1 + up_to(4);
    for (uint32_t i = 0; i < size; ++i) heap.Add(array, density);
    for (uint32_t i = 0; i < size; ++i) {
      for (uint32_t slot = 0; slot < density; ++slot) {
        if (up_to(3) != 0) heap.Refer(i, slot, up_to(size - 1));
      }
    }
    for (uint32_t i = 0; i <= up_to(2); ++i) {
      heap.Root(up_to(size - 1), static_cast<RootKind>(up_to(7)));
    }
    for (uint32_t i = 0; i < up_to(3); ++i) heap.Dependent(up_to(size - 1), up_to(size - 1));
    ExpectDefinition(heap.Build()->graph);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "round " << round;
  }
}

TEST(Dominators, AListOfMillionsNeedsNoStack) {
  constexpr uint32_t kNodes = 5'000'000;
  analyzer::HeapColumns columns;
  columns.classes.resize(2);
  columns.classes[1].base_bytes = 24;
  columns.classes[1].slot_offsets = {8};
  for (const auto& type : columns.classes) {
    columns.shapes.push_back(analyzer::HeapShape::Of(type));
  }
  columns.has_slots = false;
  columns.class_low = analyzer::Column<uint16_t>(kNodes);
  columns.reference_begin = analyzer::Column<uint32_t>(kNodes + 1);
  columns.references = analyzer::Column<ObjectId>(kNodes - 1);
  for (uint32_t i = 0; i < kNodes; ++i) {
    ASSERT_TRUE(columns.index.Add(0x10000 + uint64_t{24} * i));
    columns.class_low[i] = 1;
    columns.reference_begin[i + 1] = std::min(i + 1, kNodes - 1);
    if (i > 0) columns.references[i - 1] = i;
  }
  columns.index.Finish();
  columns.roots.push_back({0, RootKind::kStrongHandle, 0});
  const HeapGraph graph(std::move(columns));
  const Dominators result = ComputeDominators(graph);
  EXPECT_EQ(result.reachable_objects, kNodes);
  EXPECT_EQ(result.retained[0], uint64_t{kNodes} * 24);
  EXPECT_EQ(result.retained[kNodes - 1], 24u);
  EXPECT_EQ(result.immediate[kNodes - 1], kNodes - 2);
}

// Every element at the end of a long list is also held by its beginning: walking up the list for
// each of them would take forever.
TEST(Dominators, LongWaysUpTakeALogarithm) {
  constexpr uint32_t kNodes = 200'000;
  HeapBuilder heap;
  const auto node = heap.Class("Shop.Node", {"_next", "_items"});
  const auto array = heap.Array("System.Object");
  const auto item = heap.Class("Shop.Item");
  for (uint32_t i = 0; i < kNodes; ++i) heap.Add(node);
  const ObjectId last_items = heap.Add(array, kNodes);
  const ObjectId first_items = heap.Add(array, kNodes);
  for (uint32_t i = 0; i + 1 < kNodes; ++i) heap.Refer(i, "_next", i + 1);
  heap.Refer(0, "_items", first_items);
  heap.Refer(kNodes - 1, "_items", last_items);
  for (uint32_t i = 0; i < kNodes; ++i) {
    const ObjectId id = heap.Add(item);
    heap.Refer(last_items, i, id);
    heap.Refer(first_items, i, id);
  }
  heap.Root(0);
  const std::unique_ptr<HeapModel> model = heap.Build();
  const Dominators result = ComputeDominators(model->graph);
  for (ObjectId id = first_items + 1; id < model->graph.size(); ++id) {
    ASSERT_EQ(result.immediate[id], 0u);
  }
  EXPECT_EQ(result.immediate[last_items], kNodes - 1);
}

TEST(Dominators, WeakHandlesHoldNothingAndDependentsLiveWithTheirKeys) {
  HeapBuilder heap;
  const auto type = heap.Class("Shop.Item");
  const ObjectId weak = heap.Add(type), key = heap.Add(type), value = heap.Add(type),
                 dead_key = heap.Add(type), dead_value = heap.Add(type);
  heap.Root(weak, RootKind::kWeakHandle);
  heap.Root(key, RootKind::kStack, "Shop.Program.Main");
  heap.Dependent(key, value);
  heap.Dependent(dead_key, dead_value);
  const std::unique_ptr<HeapModel> model = heap.Build();
  const Dominators result = ComputeDominators(model->graph);
  EXPECT_FALSE(result.IsReachable(weak));
  EXPECT_EQ(result.immediate[key], kSuperRoot);
  EXPECT_EQ(result.immediate[value], key);
  EXPECT_EQ(result.retained[key], 48u);
  EXPECT_FALSE(result.IsReachable(dead_key));
  EXPECT_FALSE(result.IsReachable(dead_value));
  EXPECT_EQ(result.unreachable_bytes, 72u);
}

TEST(Dominators, OfNothing) {
  HeapBuilder heap;
  heap.Add(heap.Class("Shop.Item"));
  const Dominators result = ComputeDominators(heap.Build()->graph);
  EXPECT_EQ(result.reachable_objects, 0u);
  EXPECT_EQ(result.unreachable_objects, 1u);
}

}  // namespace
}  // namespace hindsight::testing
