#include "analyzer/report/allocations/allocations_report.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

// What is reported about 1000 objects of 1000 bytes if this many of them are large.
std::string TextOfLarge(int large, AllocationQuery query = {}) {
  testing::ProfileScene scene;
  const CallId call = scene.Call({"Shop.P.Main"});
  for (int i = 0; i < 1000; ++i) {
    scene.Allocate(call, "Shop.Order", 1, 1000);
    if (i < large) {
      scene.model().samples.allocations.samples.back().heap = AllocationHeap::kLarge;
    }
  }
  AllocationTextOptions options;
  options.style.width = 200;
  return AllocationsText(AnalyzeAllocations(scene.model(), query), query, options);
}

TEST(AllocationsReportTest, PointsToLargeObjectsAboveAShare) {
  const char* says = "Only gen2 collections free large objects";
  const int share = static_cast<int>(kHintRules.large_share * 1000);
  EXPECT_EQ(TextOfLarge(share).find(says), std::string::npos);
  EXPECT_NE(TextOfLarge(share + 1).find(says), std::string::npos);
  AllocationQuery large;
  large.heap = AllocationHeap::kLarge;  // a query for large objects needs no hint
  EXPECT_EQ(TextOfLarge(share + 1, large).find(says), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
