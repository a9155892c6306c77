// How fields, references, types and addresses of a heap are named.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/field_names.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

TEST(FieldName, IsWhatACSharpProgrammerWrites) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"_items", "_items"},
      {"<Items>k__BackingField", "Items"},
      {"<>4__this", "this"},
      {"<order>5__2", "order"},
      {"<order>P", "order"},
      {"<>3__order", "order"},
      {"<>2__current", "current"},
      {"<>t__builder", "builder"},
      {"<>t__builder.m_task", "builder.m_task"},
      {"<>u__1", "awaiter#1"},
      {"<>8__1", "closure#1"},
      {"CS$<>8__locals1", "closure#1"},
      {"<>7__wrap2", "temporary#2"},
      {"<>s__3", "temporary#3"},
      {"<>9", "instance"},
      {"<>9__0_1", "lambda#1"},
      {"<>9__4_0", "lambda#0"},
      {"_key._name", "_key._name"},
      {"<Key>k__BackingField.<Name>k__BackingField", "Key.Name"},
      {"Shop.Base._name", "Shop.Base._name"},
  };
  for (const auto& [raw, expected] : cases) EXPECT_EQ(naming::FieldName(raw), expected) << raw;
}

TEST(FieldName, KeepsWhatFollowsNoPattern) {
  for (const std::string_view raw :
       {"", ".", "..", "<", ">", "<>", "<>x", "<>4__", "<>u__x", "<>8__localsx", "<a>b", "<a>5__x",
        "<a", "CS$", "CS$<", "<>z__1", "<>9__x"}) {
    EXPECT_EQ(naming::FieldName(raw), raw);
  }
}

TEST(BriefName, HasNoNamespacesButOuterTypes) {
  HeapBuilder heap;
  const TypeId item = heap.Type("Shop.Item");
  const TypeId text = heap.Type("System.String");
  const TypeId map = heap.Type("System.Collections.Generic.Dictionary`2", {text, item});
  const TypeId entry = heap.Type("System.Collections.Generic.Dictionary`2+Entry", {text, item});
  const TypeId machine = heap.Type("Shop.Cart+<AddAsync>d__4");
  const TypeId box =
      heap.Type("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1",
                {item, machine});
  const std::pair<TypeId, std::string_view> cases[] = {
      {item, "Item"},
      {text, "string"},
      {heap.ArrayType(text), "string[]"},
      {heap.ArrayType(heap.ArrayType(item)), "Item[][]"},
      {map, "Dictionary<string, Item>"},
      {entry, "Dictionary<string, Item>.Entry"},
      {heap.ArrayType(entry), "Dictionary<string, Item>.Entry[]"},
      {box, "async Cart.AddAsync"},
      {heap.Type("System.ValueTuple`2", {text, item}), "(string, Item)"},
      {heap.Type("System.Nullable`1", {item}), "Item?"},
      {heap.Type("Shop.Program+<>c__DisplayClass3_0"), "Program.closure"},
      {heap.Type("NoNamespace"), "NoNamespace"},
      {heap.Type("Shop."), "Shop."},
      {0, "?"},
  };
  for (const auto& [type, expected] : cases) {
    EXPECT_EQ(TypeBriefName(heap.dictionaries(), type), expected);
  }
}

TEST(SlotNames, NamesFieldsElementsAndFieldsOfElements) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next", "<Item>k__BackingField", ""});
  const ClassIndex array = heap.Array("Shop.Node");
  const ClassIndex pairs = heap.StructArray(heap.Type("Shop.Pair"), {"key", "value"});
  const ObjectId a = heap.Add(node);
  const ObjectId b = heap.Add(array, 10);
  const ObjectId c = heap.Add(pairs, 10);
  heap.Refer(a, 1, b);
  heap.Refer(a, 2, c);
  heap.Refer(b, 7, a);
  heap.Refer(c, 3 * 2 + 1, a);
  heap.Refer(c, 9 * 2, b);
  const auto model = heap.Build();
  const SlotNames names(*model);
  EXPECT_EQ(names.Slot(a, 0), "._next");
  EXPECT_EQ(names.Reference(a, 0), ".Item");
  EXPECT_EQ(names.Reference(a, 1), ".?");
  EXPECT_EQ(names.Reference(b, 0), "[7]");
  EXPECT_EQ(names.Reference(c, 0), "[3].value");
  EXPECT_EQ(names.Reference(c, 1), "[9].key");
  EXPECT_EQ(names.Name(names.ReferenceKey(a, 0)), ".Item");
  EXPECT_EQ(names.Name(names.ReferenceKey(b, 0)), "[]");
  EXPECT_EQ(names.Name(names.ReferenceKey(c, 0)), "[].value");
  EXPECT_EQ(names.Key(c, 1), names.Key(c, 5));
  EXPECT_NE(names.Key(c, 1).Packed(), names.Key(c, 2).Packed());
  EXPECT_EQ(names.Name({SlotKey::Kind::kDependent, 0, 0}), ".(dependent)");
}

TEST(SlotNames, NamesStaticsAndDistinguishesThreadsOnlyWhereAsked) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ObjectId a = heap.Add(node);
  const ObjectId b = heap.Add(node);
  heap.Static("Shop.Cache", "_items", a);
  heap.Static("Shop.Cache", "t_buffer", a, 1234);
  heap.Static("Shop.Cache", "t_buffer", b, 1235);
  const auto model = heap.Build();
  const SlotNames names(*model);
  const ObjectId holder = b + 1;
  EXPECT_TRUE(names.HoldsStatics(holder));
  EXPECT_FALSE(names.HoldsStatics(a));
  EXPECT_EQ(names.Reference(holder, 0), "static Shop.Cache._items");
  EXPECT_EQ(names.Reference(holder, 1), "thread static Shop.Cache.t_buffer (thread 1234)");
  EXPECT_EQ(names.Reference(holder, 2), "thread static Shop.Cache.t_buffer (thread 1235)");
  EXPECT_EQ(names.ReferenceKey(holder, 1), names.ReferenceKey(holder, 2));
  EXPECT_NE(names.ReferenceKey(holder, 0), names.ReferenceKey(holder, 1));
  EXPECT_EQ(names.Name(names.ReferenceKey(holder, 2)), "thread static Shop.Cache.t_buffer");
}

TEST(SlotNames, ClaimsNoFieldThatTheCallbacksDidNotReport) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next", "_item"});
  const ClassIndex single = heap.Class("Shop.Box", {"_value"});
  const ObjectId a = heap.Add(node);
  const ObjectId b = heap.Add(single);
  heap.Refer(a, "_item", b);
  heap.Refer(b, "_value", a);
  heap.Static("Shop.Cache", "_items", a);
  heap.facts().method = HeapFacts::Method::kCallbacks;
  const auto model = heap.Build();
  const SlotNames names(*model);
  EXPECT_EQ(names.Slot(a, 0), ".?");
  EXPECT_EQ(names.Slot(b, 0), "._value");
  EXPECT_EQ(names.Static(b + 1, 0), nullptr);
}

TEST(JoinSlot, PutsTheElementIntoTheOuterBrackets) {
  EXPECT_EQ(JoinSlot("Cart", "._items"), "Cart._items");
  EXPECT_EQ(JoinSlot("Item[]", "[]"), "Item[]");
  EXPECT_EQ(JoinSlot("Item[]", "[3]"), "Item[3]");
  EXPECT_EQ(JoinSlot("Map<int>.Entry[]", "[3].value"), "Map<int>.Entry[3].value");
  EXPECT_EQ(JoinSlot("int[][]", "[3]"), "int[3][]");
  EXPECT_EQ(JoinSlot("int[,][]", "[3]"), "int[3][]");
  EXPECT_EQ(JoinSlot("]", "[3]"), "][3]");
  EXPECT_EQ(JoinSlot("?", "[3]"), "?[3]");
}

class Targets : public ::testing::Test {
 protected:
  Targets() {
    const ClassIndex item = heap_.Class("Shop.Item", {"_next"});
    const ClassIndex order = heap_.Class("Shop.OrderItem");
    const ClassIndex list =
        heap_.Class(heap_.Type("System.Collections.Generic.List`1", {heap_.Type("Shop.Item")}));
    heap_.Class("Shop.NeverMade");
    item_ = heap_.Add(item);
    order_ = heap_.Add(order);
    list_ = heap_.Add(list);
    model_ = heap_.Build();
  }

  std::string Found(std::string_view wanted) {
    const Result<HeapTargets> targets = FindTargets(*model_, wanted);
    if (!targets) return targets.error().sentence;
    std::string out;
    for (const ObjectId id : {item_, order_, list_}) {
      if (targets->Contains(model_->graph, id)) out += std::to_string(id);
    }
    return out;
  }

  HeapBuilder heap_;
  ObjectId item_, order_, list_;
  std::unique_ptr<HeapModel> model_;
};

TEST_F(Targets, AreTypesByTheirFullOrBriefNames) {
  EXPECT_EQ(Found("Shop.Item"), "0");
  EXPECT_EQ(Found("item"), "0");
  EXPECT_EQ(Found("List<Item>"), "2");
  EXPECT_EQ(Found("System.Collections.Generic.List<Shop.Item>"), "2");
}

TEST_F(Targets, ArePatterns) {
  EXPECT_EQ(Found("*Item"), "01");
  EXPECT_EQ(Found("Shop.*"), "01");
  EXPECT_EQ(Found("*"), "012");
}

TEST_F(Targets, AreAddresses) {
  const uint64_t address = model_->graph.Address(order_);
  EXPECT_EQ(Found(AddressText(address)), "1");
  EXPECT_EQ(Found(AddressText(address + 8)), "1");
  EXPECT_EQ(Found(AddressText(address).substr(2)), "1");
}

TEST_F(Targets, NameWhatComesNearestToAnUnknownType) {
  EXPECT_EQ(Found("Shop.Itme"), "No object has the type \"Shop.Itme\". Did you mean Shop.Item?");
  EXPECT_EQ(Found("List"),
            "No object has the type \"List\". Did you mean "
            "System.Collections.Generic.List<Shop.Item>?");
  EXPECT_EQ(Found("Shop.NeverMade"),
            "No object has the type \"Shop.NeverMade\". `hindsight heap` lists the types; * and ? "
            "stand for any text.");
}

TEST_F(Targets, NameTheNeighboursOfAnAddressWithoutObject) {
  const Result<ObjectId> found = FindObject(*model_, "0x1");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().exit_code, ExitCode::kUnusableInput);
  EXPECT_EQ(found.error().sentence,
            "There is no object at 0x000000000001. The nearest above it is 0x7f0000001000 "
            "(Shop.Item). Collections move objects, so use an address from this snapshot.");
  EXPECT_NE(
      FindObject(*model_, "0xffffffffffffffff").error().sentence.find("The nearest below it is 0x"),
      std::string::npos);
  EXPECT_EQ(FindObject(*model_, "Shop.Item").error().exit_code, ExitCode::kUsage);
  EXPECT_EQ(FindObject(*model_, "").error().exit_code, ExitCode::kUsage);
}

}  // namespace
}  // namespace hindsight::analyzer
