#include "analyzer/analyses/pair_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include "analyzer/analyses/call_paths.h"

namespace hindsight::analyzer {
namespace {

TEST(PairTable, SumsUpAsAMapDoes) {
  std::map<std::pair<uint32_t, uint32_t>, double> expected;
  PairTable<PathWeight> table;
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto first = static_cast<uint32_t>(random() % 300);
    const auto second = static_cast<uint32_t>(random() % 200 == 0 ? UINT32_MAX : random() % 100);
    expected[{first, second}] += i;
    table.At(first, second) += {.amount = static_cast<double>(i), .samples = 1};
  }
  size_t entries = 0;
  uint64_t samples = 0;
  table.ForEach([&](uint32_t first, uint32_t second, const PathWeight& weight) {
    EXPECT_EQ(weight.amount, (expected[{first, second}]));
    ++entries;
    samples += weight.samples;
  });
  EXPECT_EQ(entries, expected.size());
  EXPECT_EQ(samples, 200'000u);
}

TEST(PairTable, HasANewEntryAsItsTypeBegins) {
  PairTable<uint32_t> table;
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(table.At(0, i), 0u);
  table.At(0, 0) = 7;  // the smallest key
  EXPECT_EQ(table.At(0, 0), 7u);
}

TEST(PairTable, IsEmptyAtFirst) {
  const PairTable<PathWeight> table;
  table.ForEach([](uint32_t, uint32_t, const PathWeight&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace hindsight::analyzer
