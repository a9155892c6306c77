// What is at which offset of an object, with a runtime whose classes the test defines, and which
// refuses any call.
#include "recorder/names/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/clr/element_type.h"
#include "recorder/names/code_gate.h"
#include "tests/unit/recorder/fake_metadata.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

namespace element = clr::element;

constexpr uint8_t kInt = element::kInt32, kText = element::kString;
constexpr uint8_t kStructOf = element::kValueType, kGeneric = element::kGenericInstance;
constexpr clr::ClassID kNode = 0x10, kBase = 0x11, kEntry = 0x12, kArrayOfEntries = 0x13,
                       kBox = 0x14, kTextClass = 0x15, kIntClass = 0x16, kArrayOfTexts = 0x17;

std::string_view NameOf(LeafKind kind) {
  constexpr std::string_view kNames[] = {"reference", "signed", "unsigned", "float",
                                         "bool",      "char",   "struct"};
  return kNames[static_cast<size_t>(kind)];
}

class FieldsTest : public testing::Test {
 protected:
  FieldsTest() {
    const auto entry = metadata_.AddType(
        u"Shop.Entry", {{u"Key", {kInt}, 0}, {u"Value", {kText}, 8}, {u"Next", {kText}, 16}});
    const auto color = metadata_.AddType(
        u"Shop.Color", {{u"value__", {element::kUInt8}, 0}, {u"Red", {kInt}, 0, true}});
    const auto entry_by_name = metadata_.AddReference(u"Shop.Entry");
    const auto base = metadata_.AddType(
        u"Shop.Base", {{u"_name", {kText}, 8}, {u"_count", {element::kInt64}, 16}});
    const auto node = metadata_.AddType(
        u"Shop.Node",
        {{u"_name", {kText}, 24},
         {u"_entry", {kStructOf, FakeMetadata::Coded(entry)}, 32},
         {u"_color", {kStructOf, FakeMetadata::Coded(color)}, 56},
         {u"_other", {kStructOf, FakeMetadata::Coded(entry_by_name)}, 64},
         {u"_list", {kGeneric, element::kClass, FakeMetadata::Coded(entry), 1, kInt}, 88},
         {u"s_all", {kText}, 0, true}});
    // A generic class and struct, whose fields are of the type that is its argument.
    const auto box = metadata_.AddType(
        u"Shop.Box`1", {{u"_value", {element::kVar, 0}, 8}, {u"_none", {element::kVar, 9}, 32}});
    metadata_.classes = {
        {kBase, {base}},
        {kNode, {node, kBase}},
        {kEntry, {.token = entry, .is_struct = true}},
        {kArrayOfEntries, {.element = kEntry, .element_type = element::kValueType}},
        {kArrayOfTexts, {.element = kTextClass, .element_type = element::kString}},
        {kBox, {.token = box, .arguments = {kEntry}}},
        {kTextClass, {.token = metadata_.AddType(u"System.String", {})}},
        {kIntClass, {.token = metadata_.AddType(u"System.Int32", {}), .is_struct = true}},
    };
  }

  std::vector<FieldLeaf> Leaves(clr::ClassID type) {
    RuntimeMetadata names(runtime_.info(), gate_);
    FieldResolver resolver(names, {FakeMetadata::kModule});
    const std::optional<CodeGate::Hold> hold = gate_.Enter(kForEver);
    if (!hold) throw std::runtime_error("the gate is closed");
    return resolver.Leaves(*hold, type);
  }
  // "8 _name reference", followed by the references of a struct.
  static std::vector<std::string> Text(const std::vector<FieldLeaf>& leaves) {
    std::vector<std::string> lines;
    for (const FieldLeaf& leaf : leaves) {
      std::string line = std::to_string(leaf.offset) + " " + leaf.path + " ";
      line += NameOf(leaf.kind);
      if (leaf.bytes != 0) line += std::to_string(leaf.bytes);
      for (const std::string& reference : leaf.references) line += " " + reference;
      lines.push_back(std::move(line));
    }
    return lines;
  }
  using Lines = std::vector<std::string>;

  FakeRuntime runtime_;
  FakeMetadata metadata_{runtime_};
  CodeGate gate_;
};

TEST_F(FieldsTest, AClassHasItsOwnFieldsAndThoseOfItsBases) {
  EXPECT_EQ(Text(Leaves(kNode)),
            (Lines{"8 Base._name reference", "16 _count signed8", "24 Node._name reference",
                   "32 _entry struct Value Next", "56 _color unsigned1",
                   "64 _other struct Value Next", "88 _list reference"}));
  EXPECT_EQ(metadata_.references, 0);
}

TEST_F(FieldsTest, ATimeSpanIsItsTicks) {
  const auto span = metadata_.AddType(
      u"System.TimeSpan", {{u"_ticks", {element::kInt64}, 0}, {u"Zero", {kInt}, 0, true}});
  const auto other =
      metadata_.AddType(u"Shop.Span", {{u"_ticks", {element::kInt64}, 0}, {u"_unit", {kInt}, 8}});
  metadata_.classes[kBase] = {
      metadata_.AddType(u"Shop.Timed", {{u"_due", {kStructOf, FakeMetadata::Coded(span)}, 8},
                                        {u"_own", {kStructOf, FakeMetadata::Coded(other)}, 16}})};
  EXPECT_EQ(Text(Leaves(kBase)), (Lines{"8 _due._ticks signed8", "16 _own struct"}));
}

TEST_F(FieldsTest, ABoxedStructBeginsBehindTheMethodTableAndAnElementAtZero) {
  EXPECT_EQ(Text(Leaves(kEntry)),
            (Lines{"8 Key signed4", "16 Value reference", "24 Next reference"}));
  EXPECT_EQ(Text(Leaves(kArrayOfEntries)),
            (Lines{"0 Key signed4", "8 Value reference", "16 Next reference"}));
  EXPECT_EQ(Text(Leaves(kArrayOfTexts)), Lines{});
}

TEST_F(FieldsTest, AFieldOfATypeArgumentIsWhatTheArgumentIs) {
  EXPECT_EQ(Text(Leaves(kBox)), (Lines{"8 _value.Key signed4", "16 _value.Value reference",
                                       "24 _value.Next reference", "32 _none struct"}));
  metadata_.classes[kBox].arguments = {kTextClass};
  EXPECT_EQ(Text(Leaves(kBox)), (Lines{"8 _value reference", "32 _none struct"}));
  metadata_.classes[kBox].arguments = {kIntClass};
  EXPECT_EQ(Text(Leaves(kBox)), (Lines{"8 _value signed4", "32 _none struct"}));
}

TEST_F(FieldsTest, AStructThatContainsItselfEnds) {
  // Not possible in C#, but in a hand-made file.
  const auto token = FakeMetadata::kTypeDef + 20;
  while (metadata_.AddType(u"Shop.Filler", {}) + 1 != token) {
  }
  ASSERT_EQ(
      metadata_.AddType(u"Shop.Snake", {{u"_head", {kText}, 8},
                                        {u"_tail", {kStructOf, FakeMetadata::Coded(token)}, 16}}),
      token);
  metadata_.classes[kBox] = {token};
  const std::vector<FieldLeaf> leaves = Leaves(kBox);
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_GT(leaves[1].references.size(), 1u);
  EXPECT_LT(leaves[1].references.size(), 100u);
}

TEST_F(FieldsTest, SignaturesThatAreCutGiveNoReferences) {
  const auto token = metadata_.AddType(
      u"Shop.Cut", {{u"_a", {}, 8},
                    {u"_b", {kStructOf}, 16},
                    {u"_c", {kGeneric}, 24},
                    {u"_d", {kGeneric, kStructOf}, 32},
                    {u"_e", {element::kRequiredModifier}, 40},
                    {u"_f", {kGeneric, kStructOf, 0x7c, 0xdf, 0xff, 0xff, 0xff}, 48}});
  metadata_.classes[kBox] = {token};
  for (const FieldLeaf& leaf : Leaves(kBox)) {
    EXPECT_TRUE(leaf.references.empty()) << leaf.path;
    // A type that is not marked as a struct is taken for a generic class.
    EXPECT_EQ(leaf.kind, leaf.path == "_c" ? LeafKind::kReference : LeafKind::kStruct) << leaf.path;
  }
}

// A reference then has no name, or that of the field that contains it, and never another's.
TEST_F(FieldsTest, WhateverTheRuntimeRefusesNoReferenceIsNamedWrongly) {
  struct Case {
    clr::ClassID type;
    std::vector<uint32_t> offsets;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {kNode,
       {8, 24, 40, 48, 72, 80, 88},
       {"Base._name", "Node._name", "_entry.Value", "_entry.Next", "_other.Value", "_other.Next",
        "_list"}},
      {kEntry, {16, 24}, {"Value", "Next"}},
      {kArrayOfEntries, {8, 16}, {"Value", "Next"}},
      {kBox, {16, 24}, {"_value.Value", "_value.Next"}},
  };
  for (const Case& one : cases) {
    metadata_.refused_call = 0;
    metadata_.calls = 0;
    EXPECT_EQ(FieldResolver::NamesAt(Leaves(one.type), one.offsets), one.names);
    const int calls = metadata_.calls;
    ASSERT_GT(calls, 5);
    for (int refused = 1; refused <= calls; ++refused) {
      metadata_.calls = 0;
      metadata_.refused_call = refused;
      const std::vector<std::string> names = FieldResolver::NamesAt(Leaves(one.type), one.offsets);
      for (size_t i = 0; i < names.size(); ++i) {
        const std::string& right = one.names[i];
        EXPECT_TRUE(names[i].empty() || right == names[i] || right.starts_with(names[i] + ".") ||
                    right.ends_with("." + names[i]))
            << "call " << refused << ": " << names[i] << " instead of " << right;
      }
      EXPECT_EQ(metadata_.references, 0) << refused;
    }
  }
}

TEST(FieldNames, AStructsReferencesAreNamedOnlyIfAllOfThemAreThere) {
  std::vector<FieldLeaf> leaves(2);
  leaves[0].offset = 8;
  leaves[0].kind = LeafKind::kReference;
  leaves[0].path = "_name";
  leaves[1].offset = 16;
  leaves[1].path = "_entry";
  leaves[1].references = {"Value", "Next"};
  const auto names = [&](std::vector<uint32_t> offsets) {
    return FieldResolver::NamesAt(leaves, offsets);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({8, 16, 24}), (Names{"_name", "_entry.Value", "_entry.Next"}));
  EXPECT_EQ(names({8, 24}), (Names{"_name", "_entry"}));
  EXPECT_EQ(names({0, 8}), (Names{"", "_name"}));
  EXPECT_EQ(names({12}), (Names{""}));
  EXPECT_EQ(FieldResolver::NamesAt({}, std::vector<uint32_t>{8}), Names{""});
}

TEST(FieldNames, StaticsOfStructsAreKeptBoxed) {
  const auto kept = [](std::vector<uint8_t> signature) {
    return FieldResolver::IsKeptAsReference(signature);
  };
  EXPECT_TRUE(kept({6, kText}));
  EXPECT_TRUE(kept({6, kStructOf, 4}));
  EXPECT_TRUE(kept({6, element::kVar, 0}));
  EXPECT_FALSE(kept({6, kInt}));
  EXPECT_FALSE(kept({7, kText}));  // not a field
  EXPECT_FALSE(kept({6}));
  EXPECT_FALSE(kept({}));
}

}  // namespace
}  // namespace hindsight::recorder
