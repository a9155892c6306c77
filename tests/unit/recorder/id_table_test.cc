#include "recorder/encode/id_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace hindsight::recorder {
namespace {

struct Pair {
  uint32_t first, second;
  uint64_t bits() const { return uint64_t{first} << 32 | second; }
  bool operator==(const Pair&) const = default;
};

TEST(IdTable, FindsWhatWasSet) {
  IdTable<Pair> table;
  EXPECT_EQ(table.Find({1, 2}), 0u);
  table.Set({1, 2}, 7);
  table.Set({0, 0}, 8);
  EXPECT_EQ(table.Find({1, 2}), 7u);
  EXPECT_EQ(table.Find({2, 1}), 0u);
  EXPECT_EQ(table.Find({0, 0}), 8u);
  table.Set({1, 2}, 9);
  EXPECT_EQ(table.Find({1, 2}), 9u);
  EXPECT_EQ(table.size(), 2u);
}

TEST(IdTable, FindsTheSameAsAMapAfterManyChanges) {
  IdTable<uint64_t> table;
  std::unordered_map<uint64_t, uint32_t> expected;
  std::mt19937_64 random(1);
  for (uint32_t i = 1; i <= 100'000; ++i) {
    const uint64_t key = random() % 5000 << 12;  // addresses that differ in few bits
    if (random() % 3 == 0) {
      table.Erase(key);
      expected.erase(key);
    } else {
      table.Set(key, i);
      expected[key] = i;
    }
    ASSERT_EQ(table.size(), expected.size());
  }
  for (uint64_t key = 0; key < 5000; ++key) {
    const auto found = expected.find(key << 12);
    EXPECT_EQ(table.Find(key << 12), found != expected.end() ? found->second : 0);
  }
}

TEST(IdTable, KeysBehindAnErasedOneAreStillFound) {
  IdTable<uint32_t> table;
  for (uint32_t key = 0; key < 40; ++key) table.Set(key, key + 1);  // close to full: some collide
  for (uint32_t key = 0; key < 40; key += 2) table.Erase(key);
  for (uint32_t key = 0; key < 40; ++key) {
    EXPECT_EQ(table.Find(key), key % 2 != 0 ? key + 1 : 0) << key;
  }
}

TEST(IdTable, ErasedKeysTakeNoMemoryForGood) {
  IdTable<uint64_t> table;
  for (uint64_t key = 1; key <= 100; ++key) table.Set(key, 1);
  const uint64_t before = table.memory_bytes();
  for (uint64_t key = 1000; key < 100'000; ++key) {
    table.Set(key, 1);
    table.Erase(key);
  }
  EXPECT_EQ(table.size(), 100u);
  EXPECT_EQ(table.memory_bytes(), before);
}

TEST(IdTable, ClearFreesTheMemory) {
  IdTable<uint32_t> table;
  for (uint32_t key = 0; key < 1000; ++key) table.Set(key, 1);
  EXPECT_LE(table.memory_bytes(), 2048u * 8);
  table.Clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.memory_bytes(), 0u);
  EXPECT_EQ(table.Find(1), 0u);
}

}  // namespace
}  // namespace hindsight::recorder
