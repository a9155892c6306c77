// Sampled allocations of a snapshot's objects: from their packets to what is reported about them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/reader/heap_reader.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/heap_file.h"
#include "tests/support/recording_builder.h"

namespace hindsight::testing {
namespace {

using analyzer::AllocationProfile;
using analyzer::AllocationQuery;
using analyzer::ClassIndex;
using analyzer::HeapModel;
using analyzer::ObjectId;
using analyzer::Result;
using analyzer::RetainedAllocations;
using analyzer::RootPaths;
using analyzer::Survivors;

class HeapSurvivors : public ::testing::Test {
 protected:
  Result<std::unique_ptr<HeapModel>> Read(const std::string& bytes) {
    WriteFile(path_, bytes);
    return analyzer::ReadHeap({&path_, 1}, {});
  }

  // Objects of 32 bytes, from 4096 on; a root holds the first. `samples`: of HeapAllocations.
  static HeapFile File(const std::string& samples) {
    HeapFile file;
    file.AddTables(ParseText(R"(
        packet { heap_snapshot { number: 1 } }
        packet { string { id: 1 value: "Shop.Item" } }
        packet { string { id: 2 value: "Add" } }
        packet { type { id: 1 name: 1 } }
        packet { heap_class { id: 1 type: 1 base_bytes: 32 } }
        packet { heap_roots { kind: STRONG_HANDLE address_delta: 4096 } }
        packet { method { id: 1 name: 2 type: 1 } }
        packet { frame { id: 1 method: 1 il_offset: 8 } }
        packet { stack { id: 1 frame: 1 } }
        packet { heap_allocations { )" +
                             samples + " } }"));
    file.AddObjects(BatchAt(0x1000, 3));
    return file;
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "heap-000001.hsr";
};

TEST_F(HeapSurvivors, AreFoundByTheAddressAtWhichTheirObjectsBegin) {
  // Out of order, one inside an object, one twice, one beyond all.
  const auto model = Read(File(R"(
      sampling: BYTES mean_bytes: 1000 stride: 4 followed_since_ns: 2000000000
      object_delta: 4128 object_delta: -32 object_delta: 8 object_delta: 24 object_delta: 65536
      stack: [1, 1, 1, 0, 1] thread: [1, 1, 1, 1, 1] size: [32, 32, 32, 32, 32]
      allocated_ns: [6000000000, 5000000000, 1, 6500000000, 1])")
                              .bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const Survivors& survivors = (*model)->survivors;
  EXPECT_TRUE(survivors.recorded);
  EXPECT_EQ(survivors.sampling, AllocationProfile::Sampling::kBytes);
  EXPECT_EQ(survivors.mean_bytes, 1000u);
  EXPECT_EQ(survivors.stride, 4u);
  EXPECT_EQ(survivors.followed_ns, 5'000'000'000u);
  EXPECT_EQ(survivors.misplaced, 3u);
  ASSERT_EQ(survivors.samples.size(), 2u);
  EXPECT_EQ(survivors.samples[0].object, 0u);
  EXPECT_EQ(survivors.samples[0].age_ns, 2'000'000'000u);
  EXPECT_EQ(survivors.samples[1].object, 1u);
  EXPECT_EQ(survivors.samples[1].age_ns, 500'000'000u) << "the younger one of two";
  EXPECT_EQ(survivors.samples[1].call, 0u);
  EXPECT_EQ(survivors.calls.node(survivors.samples[0].call).il_offset, 7);
  // A 32nd of 1000 bytes is hit once in 31.75 objects; one in four of the hits was followed.
  EXPECT_NEAR(survivors.samples[0].objects, 4 * 31.75, 0.1);
  EXPECT_NEAR(survivors.samples[0].bytes, 4 * 31.75 * 32, 4);
}

TEST_F(HeapSurvivors, OfTicksStandForWhatWasAllocatedSince) {
  const auto model = Read(File(R"(
      sampling: TICK mean_bytes: 100000 stride: 2 object_delta: 4096 stack: 1 thread: 1 size: 32
      amount: 64000 allocated_ns: 8000000000)")
                              .bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const Survivors& survivors = (*model)->survivors;
  ASSERT_EQ(survivors.samples.size(), 1u);
  EXPECT_EQ(survivors.samples[0].bytes, 128000);
  EXPECT_EQ(survivors.samples[0].objects, 4000);
  EXPECT_EQ(survivors.samples[0].age_ns, 0u) << "a clock that went back";
  EXPECT_EQ(survivors.followed_ns, 0u);
}

TEST_F(HeapSurvivors, MayBeNoneOrNotRecorded) {
  const auto none = Read(File("followed_since_ns: 1").bytes());
  ASSERT_TRUE(none) << none.error().sentence;
  EXPECT_TRUE((*none)->survivors.recorded);
  EXPECT_TRUE((*none)->survivors.samples.empty());
  HeapBuilder heap;
  heap.Add(heap.Class("Shop.Item"));
  const auto other = Read(EncodeHeap(*heap.Build()).bytes());
  ASSERT_TRUE(other) << other.error().sentence;
  EXPECT_FALSE((*other)->survivors.recorded);
}

TEST_F(HeapSurvivors, WhoseColumnsDoNotFitAreRefused) {
  for (const char* samples :
       {"sampling: TICK object_delta: 4096", "sampling: BYTES stride: 1",
        "sampling: TICK object_delta: 1 stack: 1 thread: 1 size: 1 allocated_ns: 1 amount: [1, 2]",
        "sampling: TICK object_delta: 1 stack: 99999999 thread: 1 size: 1 allocated_ns: 1"}) {
    EXPECT_FALSE(Read(File(samples).bytes())) << samples;
  }
}

TEST_F(HeapSurvivors, AreSummedUpByTypeAndPathWhereARootReachesThem) {
  HeapBuilder heap;
  const ClassIndex order = heap.Class("Shop.Order", {"_lines"}, 1000);
  const ClassIndex line = heap.Class("Shop.Line", {}, 100);
  for (int i = 0; i < 8; ++i) {
    const ObjectId of = heap.Add(order);
    const ObjectId held = heap.Add(line);
    heap.Refer(of, "_lines", held);
    if (i < 6) heap.Root(of);
    heap.Survivor(of, {i % 2 == 0 ? "Shop.Web.Post" : "Shop.Import.Read", "Shop.Program.Main"},
                  static_cast<uint64_t>(i) * 1000);
    heap.Survivor(held, {"Shop.Order..ctor", "Shop.Web.Post", "Shop.Program.Main"}, 500);
  }
  const auto model = Read(EncodeHeap(*heap.Build()).bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const RootPaths roots((*model)->graph);
  const RetainedAllocations report = AnalyzeRetainedAllocations(**model, roots, {});
  EXPECT_EQ(report.whole.samples, 12u);
  EXPECT_EQ(report.unreachable.samples, 4u);
  ASSERT_EQ(report.types.size(), 2u);
  EXPECT_EQ(report.types[0].name, "Shop.Order");
  EXPECT_EQ(report.types[0].weight.samples, 6u);
  EXPECT_EQ(report.types[0].youngest_ns, 0u);
  EXPECT_EQ(report.types[0].median_age_ns, 3000u);
  EXPECT_EQ(report.types[0].oldest_ns, 5000u);
  EXPECT_EQ(report.types[0].site_weight.samples, 3u);
  EXPECT_EQ(report.paths.frames[report.types[1].site].name, "Shop.Order..ctor");

  AllocationQuery query;
  query.type = "Shop.Order";
  query.focus = "Import";
  query.bottom_up = true;
  const RetainedAllocations orders = AnalyzeRetainedAllocations(**model, roots, query);
  EXPECT_EQ(orders.whole.samples, 6u);
  EXPECT_EQ(orders.unreachable.samples, 2u);
  ASSERT_EQ(orders.paths.nodes.size(), 3u);
  EXPECT_EQ(orders.paths.frames[orders.paths.nodes[1].frame].name, "Shop.Import.Read");
  EXPECT_EQ(orders.paths.nodes[1].total.samples, 3u);
}

}  // namespace
}  // namespace hindsight::testing
