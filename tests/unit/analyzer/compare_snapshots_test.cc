// Two recordings' heap snapshots: what counts as growth, each threshold at its edge.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/comparison/comparison_rules.h"
#include "analyzer/analyses/heap/dominators.h"
#include "tests/support/heap_builder.h"
#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

// One snapshot, as it is compared.
struct HeapSide {
  std::unique_ptr<HeapModel> model;
  std::unique_ptr<RootPaths> paths;
  Dominators dominators;
  Reports reports;
};

// 4 MiB of buffers, and objects of 100 kB in an array that a static of yours holds.
HeapSide HeapOf(const std::string& type, uint32_t count) {
  testing::HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kComplete;
  heap.Static("Shop.Program", "table_", heap.Add(heap.PlainArray("System.Byte", 1), 4 << 20));
  const ClassIndex each = heap.Class(type, {}, 100'000);
  const ObjectId all = heap.Add(heap.Array(type), 100);
  for (uint32_t i = 0; i < count; ++i) heap.Refer(all, i, heap.Add(each));
  heap.Static("Shop.Program", "all_", all);
  HeapSide side;
  side.model = heap.Build();
  side.paths = std::make_unique<RootPaths>(side.model->graph);
  side.dominators = ComputeDominators(side.model->graph);
  side.reports = MakeReports(
      nullptr, std::make_unique<HeapReports>(*side.model, *side.paths, side.dominators, nullptr));
  return side;
}

TEST(CompareSnapshotsTest, AHeapGrowsFromAShareOfTheSmallerOneOnAndIsAsSureAsItsRule) {
  ComparisonRules rules;
  const HeapSide before = HeapOf("Shop.Order", 10), after = HeapOf("Shop.Order", 22);
  const auto reported = [&] { return Compare(before.reports, after.reports, rules); };
  rules.confidence_of_snapshot = 0.8;
  const Comparison comparison = reported();
  ASSERT_EQ(comparison.differences.size(), 1u);
  const Difference& grown = comparison.differences[0];
  EXPECT_EQ(grown.subject, "Shop.Order");
  EXPECT_DOUBLE_EQ(grown.confidence, 0.8);
  rules.confidence_of_snapshot = 0.9;
  EXPECT_DOUBLE_EQ(reported().differences.at(0).confidence, 0.9);
  const double share =
      (grown.after - grown.before) / static_cast<double>(before.dominators.reachable_bytes);
  rules.min_share_of_heap = share * 0.999;
  EXPECT_EQ(reported().differences.size(), 1u);
  rules.min_share_of_heap = share * 1.001;
  EXPECT_EQ(reported().differences.size(), 0u);
}

TEST(CompareSnapshotsTest, FewOfTheFrameworksObjectsMoreAreANoteUpToAShareOfTheHeap) {
  ComparisonRules rules;
  const HeapSide before = HeapOf("System.Net.Packet", 10), after = HeapOf("System.Net.Packet", 22);
  const auto reported = [&] { return Compare(before.reports, after.reports, rules); };
  rules.few_of_framework = 12;  // a static of yours holds them
  Comparison comparison = reported();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_TRUE(comparison.notes.empty());
  const Difference grown = comparison.differences[0];
  rules.few_of_framework = 13;
  comparison = reported();
  EXPECT_TRUE(comparison.is_empty());
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with("Memory held by the framework itself grew by "))
      << comparison.notes[0];
  EXPECT_EQ(comparison.perhaps, "");
  rules.much_of_framework = static_cast<uint64_t>(grown.after - grown.before);
  rules.most_of_framework = 0.01;
  EXPECT_TRUE(reported().perhaps.starts_with("Memory held by the framework itself grew by "));
  ++rules.much_of_framework;
  EXPECT_EQ(reported().perhaps, "");
  rules.much_of_framework = 1;
  rules.most_of_framework = 1;
  EXPECT_EQ(reported().perhaps, "");

  const double share =
      (grown.after - grown.before) / static_cast<double>(after.dominators.reachable_bytes);
  rules.min_share_of_frameworks_heap = share * 1.001;
  EXPECT_TRUE(reported().is_empty());
  rules.min_share_of_frameworks_heap = share * 0.999;
  EXPECT_EQ(reported().differences.size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
