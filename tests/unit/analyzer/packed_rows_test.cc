#include "analyzer/model/packed_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace hindsight::analyzer {
namespace {

enum class Color : uint8_t { kRed, kGreen, kBlue };

struct PackedRow {
  int64_t at_ns = 0;
  uint64_t amount = 0;
  uint32_t thread = 0;
  double weight = 0;
  Color color = Color::kRed;
  bool is_odd = false;

  static constexpr auto Fields() {
    return std::tuple(&PackedRow::at_ns, &PackedRow::amount, &PackedRow::thread, &PackedRow::weight,
                      &PackedRow::color, &PackedRow::is_odd);
  }
  bool operator==(const PackedRow&) const = default;
};

std::vector<PackedRow> All(const PackedRows<PackedRow>& rows) {
  std::vector<PackedRow> out;
  for (const PackedRow& row : rows) out.push_back(row);
  return out;
}

// Small and large numbers, in stretches in which some of them do not change.
std::vector<PackedRow> Various(size_t count) {
  std::mt19937_64 random(5);
  std::vector<PackedRow> rows;
  for (size_t i = 0; i < count; ++i) {
    const size_t stretch = i / 700 % 3;
    PackedRow row;
    row.at_ns = static_cast<int64_t>(i * 1000) - 500'000;
    row.thread = static_cast<uint32_t>(random() % (stretch == 0 ? 4 : 100'000));
    row.amount = 10'000'000;
    row.weight = 1;
    if (stretch == 1) {
      row.amount = random();
      row.weight = static_cast<double>(random() % 1000) / 7 - 50;
      row.color = static_cast<Color>(random() % 3);
    } else if (stretch == 2) {
      row.at_ns = static_cast<int64_t>(random());
      row.weight = -std::numeric_limits<double>::infinity();
      row.is_odd = i % 2 != 0;
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(PackedRows, AreReadAsTheyWereWritten) {
  for (const size_t count : {0, 1, 1023, 1024, 1025, 2048, 10'000}) {
    const std::vector<PackedRow> rows = Various(count);
    PackedRows<PackedRow> packed;
    for (const PackedRow& row : rows) packed.push_back(row);
    EXPECT_EQ(packed.size(), count);
    EXPECT_EQ(packed.empty(), count == 0);
    EXPECT_EQ(All(packed), rows) << count;
    for (size_t i = 0; i < count; i += 97) EXPECT_EQ(packed[i], rows[i]) << i;
    packed.clear();
    EXPECT_TRUE(All(packed).empty());
  }
}

TEST(PackedRows, ExtremesFit) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  PackedRows<PackedRow> packed;
  for (int i = 0; i < 3000; ++i) {
    packed.push_back({.at_ns = i % 2 == 0 ? kLeast : kMost,
                      .amount = i % 3 == 0 ? UINT64_MAX : 0,
                      .thread = i % 5 == 0 ? UINT32_MAX : 0});
  }
  int i = 0;
  for (const PackedRow& row : packed) {
    ASSERT_EQ(row.at_ns, i % 2 == 0 ? kLeast : kMost);
    ASSERT_EQ(row.amount, i % 3 == 0 ? UINT64_MAX : 0);
    ASSERT_EQ(row.thread, i % 5 == 0 ? UINT32_MAX : 0);
    ++i;
  }
}

TEST(PackedRows, TheLastOneCanBeChangedAndAllBeRewritten) {
  PackedRows<PackedRow> packed;
  for (uint32_t i = 0; i < 5000; ++i) {
    packed.push_back({.thread = i});
    packed.back().amount = i;
  }
  packed.Rewrite([](PackedRow& row) {
    row.amount *= 2;
    return row.thread % 2 == 0;
  });
  ASSERT_EQ(packed.size(), 2500u);
  uint32_t i = 0;
  for (const PackedRow& row : packed) {
    ASSERT_EQ(row.thread, i);
    ASSERT_EQ(row.amount, 2 * i);
    i += 2;
  }
  packed.Rewrite([](PackedRow&) { return false; });
  EXPECT_TRUE(packed.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
