// What the JIT reports as inlined, from the payload of its event to places.
#include "recorder/encode/inline_trees.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kBody = 0x1000;
constexpr uint32_t kThread = 7;

struct Node {
  uint64_t method;
  uint32_t call, child, sibling;
};
struct Mapping {
  uint32_t il, node, native;
};

std::vector<uint8_t> Payload(const std::vector<Node>& nodes, const std::vector<Mapping>& mappings) {
  std::vector<uint8_t> out;
  const auto put = [&out](auto value) {
    const size_t at = out.size();
    out.resize(at + sizeof(value));
    std::memcpy(out.data() + at, &value, sizeof(value));
  };
  put(static_cast<uint32_t>(nodes.size()));
  put(static_cast<uint32_t>(mappings.size()));
  for (const Node& node : nodes) {
    put(node.method);
    put(node.call);
    put(node.child);
    put(node.sibling);
  }
  for (const Mapping& mapping : mappings) {
    put(mapping.il);
    put(mapping.node);
    put(mapping.native);
    put(uint8_t{0});
  }
  return out;
}

// 10 calls 20 at 5, which calls 30 at 6; and 40 at 8.
std::vector<uint8_t> Usual() {
  return Payload({{10, 0, 1, 0}, {20, 5, 3, 2}, {40, 8, 0, 0}, {30, 6, 0, 0}},
                 {{0, 0, 0}, {1, 1, 16}, {2, 3, 32}, {3, 2, 48}, {9, 0, 64}});
}

TEST(InlineTreeTest, ReportsThePathToEachPlace) {
  InlineTree tree;
  ASSERT_TRUE(tree.Read(Usual()));
  EXPECT_TRUE(tree.has_inlined());
  using Places = std::vector<InlinedPlace>;
  EXPECT_EQ(tree.At(0), Places());
  EXPECT_EQ(tree.At(20), (Places{{10, 5}, {20, 1}}));
  EXPECT_EQ(tree.At(47), (Places{{10, 5}, {20, 6}, {30, 2}}));
  EXPECT_EQ(tree.At(48), (Places{{10, 8}, {40, 3}}));
  EXPECT_EQ(tree.At(1000), Places());
  EXPECT_EQ(tree.PlaceOf(47), 32u);
  EXPECT_EQ(tree.PlaceOf(15), 0u);
}

TEST(InlineTreeTest, OfSeveralMappingsOfAnInstructionTheLastHasIt) {
  InlineTree tree;
  ASSERT_TRUE(tree.Read(Payload({{10, 0, 1, 0}, {20, 5, 0, 0}}, {{0, 1, 8}, {4, 0, 8}})));
  EXPECT_TRUE(tree.At(9).empty());
}

TEST(InlineTreeTest, DamagedPayloadsShowNothing) {
  std::vector<uint8_t> cut = Usual();
  InlineTree tree;
  for (cut.pop_back(); !cut.empty(); cut.pop_back()) {
    EXPECT_FALSE(tree.Read(cut)) << cut.size();
    EXPECT_FALSE(tree.has_inlined());
  }
  EXPECT_FALSE(tree.Read(Payload({}, {})));
  // A cycle of siblings, a parent out of bounds, a node that is no node's child.
  ASSERT_TRUE(tree.Read(Payload({{10, 0, 1, 0}, {20, 5, 1, 1}, {30, 6, 9, 7}},
                                {{1, 1, 16}, {2, 2, 32}, {3, 8, 48}})));
  EXPECT_EQ(tree.At(16).size(), 2u);
  EXPECT_TRUE(tree.At(32).empty());
}

TEST(InlineTreesTest, PutsChunksTogether) {
  InlineTrees trees(1 << 20);
  const std::vector<uint8_t> all = Usual();
  const std::span<const uint8_t> bytes = all;
  trees.Add(kThread, kBody, 0, false, bytes.first(50));
  EXPECT_EQ(trees.Find(kBody), nullptr);
  trees.Add(kThread + 1, kBody + 1, 1, true, bytes.subspan(50));  // without its beginning
  trees.Add(kThread, kBody, 1, true, bytes.subspan(50));
  ASSERT_NE(trees.Find(kBody), nullptr);
  EXPECT_EQ(trees.Find(kBody)->At(16).size(), 2u);
  EXPECT_EQ(trees.Find(kBody + 1), nullptr);

  trees.Add(kThread, kBody + 2, 0, false, bytes.first(50));
  trees.Add(kThread, kBody + 2, 2, true, bytes.subspan(50));  // one was lost
  EXPECT_EQ(trees.Find(kBody + 2), nullptr);
}

TEST(InlineTreesTest, ANewBodyAtAnAddressReplacesTheOldOne) {
  InlineTrees trees(1 << 20);
  trees.Add(kThread, kBody, 0, true, Usual());
  trees.AddPlain(kBody);
  ASSERT_NE(trees.Find(kBody), nullptr);
  EXPECT_FALSE(trees.Find(kBody)->has_inlined());
  trees.Forget();
  EXPECT_EQ(trees.Find(kBody), nullptr);
  EXPECT_EQ(trees.bytes(), 0u);
}

TEST(InlineTreesTest, KeepsToItsLimit) {
  constexpr size_t kLimit = 4096;
  InlineTrees trees(kLimit);
  for (uintptr_t i = 0; i < 1000; ++i) trees.Add(kThread, kBody + i, 0, true, Usual());
  EXPECT_LE(trees.bytes(), kLimit);
  EXPECT_NE(trees.Find(kBody), nullptr);
  EXPECT_EQ(trees.Find(kBody + 999), nullptr);
}

}  // namespace
}  // namespace hindsight::recorder
