// Addresses, slots and values of a heap graph.
#include "analyzer/model/heap_graph.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/support/heap_builder.h"

namespace hindsight::testing {
namespace {

using analyzer::Generation;
using analyzer::HeapModel;
using analyzer::kNoObject;
using analyzer::ObjectId;
using analyzer::ObjectIndex;
using analyzer::ValueField;

// Addresses in dense and sparse stretches, with gaps of all lengths.
std::vector<uint64_t> RandomAddresses(std::mt19937_64& random) {
  std::vector<uint64_t> addresses;
  uint64_t at = 8 * (1 + random() % 100'000);
  for (int stretch = 0; stretch < 40; ++stretch) {
    const uint64_t step = uint64_t{1} << (random() % 18);
    for (uint64_t i = 0; i < 1 + random() % 1500; ++i) {
      addresses.push_back(at);
      at += 8 * (1 + random() % step);
    }
    at += 8 * (random() % (uint64_t{1} << (random() % 40)));
  }
  return addresses;
}

TEST(ObjectIndex, FindsEveryAddressAndNoOther) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    const std::vector<uint64_t> addresses = RandomAddresses(random);
    ObjectIndex index;
    for (const uint64_t address : addresses) ASSERT_TRUE(index.Add(address));
    ASSERT_FALSE(index.Add(addresses.back()));
    ASSERT_FALSE(index.Add(addresses.back() + 4));
    index.Finish();
    ASSERT_EQ(index.size(), addresses.size());
    size_t hint = 0;
    for (uint32_t id = 0; id < addresses.size(); ++id) {
      ASSERT_EQ(index.Address(id), addresses[id]);
      ASSERT_EQ(index.Find(addresses[id], hint), id);
      ASSERT_EQ(index.FindAtOrBefore(addresses[id]), id);
      const uint64_t end = id + 1 < addresses.size() ? addresses[id + 1] : addresses[id] + 800;
      const uint64_t inside = addresses[id] + 1 + random() % (end - addresses[id]);
      if (inside >= end) continue;
      ASSERT_EQ(index.Find(inside, hint), ObjectIndex::kNone);
      ASSERT_EQ(index.FindAtOrBefore(inside), id);
    }
    EXPECT_EQ(index.FindAtOrBefore(addresses[0] - 8), ObjectIndex::kNone);
    EXPECT_EQ(index.Find(UINT64_MAX - 7, hint), ObjectIndex::kNone);
    EXPECT_EQ(index.FindAtOrBefore(UINT64_MAX), index.size() - 1);
    EXPECT_LE(index.bytes(), 34 * addresses.size() + 4096);
  }
}

TEST(HeapGraph, NamesTheSlotOfEveryReference) {
  HeapBuilder heap;
  const auto node = heap.Class("Shop.Node", {"_a", "_b", "_c"});
  const auto entries = heap.StructArray(heap.Type("Shop.Entry"), {"_key", "_value"}, 24);
  std::vector<std::vector<uint64_t>> slots;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    const bool is_array = random() % 3 == 0;
    const uint64_t length = is_array ? random() % 100 : 0;
    const ObjectId id = is_array ? heap.Add(entries, length) : heap.Add(node);
    slots.emplace_back();
    for (uint64_t slot = 0; slot < (is_array ? 2 * length : 3); ++slot) {
      if (random() % 2 == 0) continue;
      heap.Refer(id, slot, static_cast<ObjectId>(random() % (id + 1)));
      slots.back().push_back(slot);
    }
  }
  const std::unique_ptr<HeapModel> model = heap.Build();
  for (ObjectId id = 0; id < slots.size(); ++id) {
    ASSERT_EQ(model->graph.References(id).size(), slots[id].size());
    for (size_t n = 0; n < slots[id].size(); ++n) {
      ASSERT_EQ(model->graph.SlotOfReference(id, n), slots[id][n]);
    }
  }
  const ObjectId last = static_cast<ObjectId>(slots.size() - 1);
  EXPECT_EQ(model->graph.Find(model->graph.Address(last) + 5), last);
}

TEST(HeapGraph, PlacesSlotsAsTheRuntimeDoes) {
  HeapBuilder heap;
  const ObjectId node = heap.Add(heap.Class("Shop.Node", {"_a", "_b"}));
  const ObjectId entries =
      heap.Add(heap.StructArray(heap.Type("Shop.Entry"), {"_key", "_value"}, 24), 3);
  const std::unique_ptr<HeapModel> model = heap.Build();
  const analyzer::HeapGraph& graph = model->graph;
  EXPECT_EQ(graph.SlotAddress(node, 1), graph.Address(node) + 16);
  EXPECT_EQ(graph.SlotAddress(entries, 5), graph.Address(entries) + 16 + 2 * 24 + 8);
  EXPECT_EQ(graph.Bytes(entries), 24u + 3 * 24);
  EXPECT_EQ(graph.Length(entries), 3u);
  EXPECT_EQ(graph.Length(node), 0u);
}

TEST(HeapGraph, KeepsValuesAndTexts) {
  HeapBuilder heap;
  const auto list = heap.Class("System.Collections.Generic.List`1", {"_items"});
  heap.AddValueField(list, "_size");
  heap.AddValueField(list, "_name", ValueField::Kind::kText);
  heap.AddValueField(list, "_version");
  const ObjectId first = heap.Add(list);
  heap.AddString("no value");
  const ObjectId second = heap.Add(list);
  heap.Value(first, "_size", -3);
  heap.Value(second, "_size", INT64_MAX);
  heap.Value(second, "_version", INT64_MIN);
  heap.Text(second, "_name", "orders");
  const std::unique_ptr<HeapModel> model = heap.Build();
  const analyzer::HeapGraph& graph = model->graph;
  EXPECT_EQ(graph.Value(first, 0), -3);
  EXPECT_EQ(graph.Value(model->dictionaries, second, "_size"), INT64_MAX);
  EXPECT_EQ(graph.Value(second, 2), INT64_MIN);
  EXPECT_EQ(graph.Text(first, 1), std::nullopt);
  EXPECT_EQ(graph.Text(second, 1), "orders");
  EXPECT_EQ(graph.Value(second, 1), std::nullopt);
  EXPECT_EQ(graph.Value(second, 7), std::nullopt);
  EXPECT_EQ(graph.Value(1, 0), std::nullopt);
  EXPECT_EQ(graph.Value(model->dictionaries, first, "_count"), std::nullopt);
}

TEST(HeapGraph, KnowsGenerations) {
  HeapBuilder heap;
  const auto item = heap.Class("Shop.Item");
  const ObjectId old = heap.Add(item);
  heap.StartGeneration(Generation::kGen0);
  heap.StartGeneration(Generation::kLarge);
  const ObjectId large = heap.Add(item);
  const std::unique_ptr<HeapModel> model = heap.Build();
  EXPECT_EQ(model->graph.GenerationOf(old), Generation::kGen2);
  EXPECT_EQ(model->graph.GenerationOf(large), Generation::kLarge);
}

TEST(HeapGraph, KnowsStatics) {
  HeapBuilder heap;
  const ObjectId cache = heap.Add(heap.Class("Shop.Cache"));
  heap.Static("Shop.Cache", "s_instance", cache);
  const std::unique_ptr<HeapModel> model = heap.Build();
  ASSERT_EQ(model->graph.statics().size(), 1u);
  const analyzer::HeapStaticField& field = model->graph.statics()[0];
  EXPECT_EQ(model->graph.References(field.holder)[0], cache);
  EXPECT_EQ(model->graph.SlotOfReference(field.holder, 0), field.slot);
  EXPECT_EQ(model->dictionaries.String(field.field), "s_instance");
}

}  // namespace
}  // namespace hindsight::testing
