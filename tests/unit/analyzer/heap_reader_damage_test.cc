// Heap snapshots that are damaged or hostile: what is left is read, and the rest is reported.
#include "analyzer/reader/heap_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/reader/recording_reader.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/recording_builder.h"
#include "tests/support/sample_recordings.h"
#include "tests/unit/analyzer/heap_reader_test.h"

namespace hindsight::testing {
namespace {

using analyzer::CheckHeaps;
using analyzer::HeapCheck;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::ObjectId;
using analyzer::ReadHeap;

TEST_F(HeapReader, ALostSegmentLosesItsObjectsOnly) {
  const std::unique_ptr<HeapModel> whole = SampleHeap();
  const HeapFile file = EncodeHeap(*whole, {.objects_per_batch = 20});
  uint64_t dangling = 0;
  for (size_t lost = 1; lost + 1 < file.segment_offsets().size(); ++lost) {
    std::string bytes = file.bytes();
    bytes[file.segment_offsets()[lost] + kSegmentHeaderBytes + 9] ^= 1;
    const auto model = Read(bytes);
    ASSERT_TRUE(model) << model.error().sentence;
    const HeapGraph& graph = (*model)->graph;
    EXPECT_EQ(graph.facts.lost_segments, 1u);
    EXPECT_FALSE(graph.facts.complete());
    dangling += graph.facts.dangling_references;
    uint64_t references = 0, expected = 0;
    for (ObjectId id = 0; id < graph.size(); ++id) {
      const ObjectId before = whole->graph.Find(graph.Address(id));
      EXPECT_EQ(std::ranges::binary_search(graph.dangling_holders(), id),
                graph.References(id).size() < whole->graph.References(before).size());
      references += graph.References(id).size();
      expected += whole->graph.References(before).size();
      for (size_t n = 0; n < graph.References(id).size(); ++n) {
        // Those that are left are still in their slots.
        const uint64_t slot = graph.SlotOfReference(id, n);
        bool found = false;
        for (size_t m = 0; m < whole->graph.References(before).size() && !found; ++m) {
          found = whole->graph.SlotOfReference(before, m) == slot &&
                  whole->graph.Address(whole->graph.References(before)[m]) ==
                      graph.Address(graph.References(id)[n]);
        }
        ASSERT_TRUE(found);
      }
    }
    EXPECT_EQ(references + graph.facts.dangling_references, expected);
    ASSERT_EQ(Check(bytes).size(), 1u);
    EXPECT_FALSE(Check(bytes)[0].faults.empty());
  }
  EXPECT_GT(dangling, 0u);
}

// Reads and analyzes whatever is there.
void ExpectHonest(const std::string& path, const HeapModel& whole, const std::string& what) {
  const auto model = ReadHeap({&path, 1}, {});
  if (!model) {
    ASSERT_FALSE(model.error().sentence.empty()) << what;
    return;
  }
  const HeapGraph& graph = (*model)->graph;
  analyzer::ComputeDominators(graph);
  ASSERT_TRUE(graph.size() == whole.graph.size() || !graph.facts.complete()) << what;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const ObjectId same = whole.graph.Find(graph.Address(id));
    ASSERT_NE(same, analyzer::kNoObject) << what;
    ASSERT_EQ(graph.Bytes(id), whole.graph.Bytes(same)) << what;
  }
}

TEST_F(HeapReader, CutAtEveryByteItSaysSo) {
  const std::unique_ptr<HeapModel> whole = SampleHeap(1, 60);
  const std::string bytes = EncodeHeap(*whole, {.objects_per_batch = 20}).bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    WriteFile(path_, bytes.substr(0, size));
    ExpectHonest(path_, *whole, "cut to " + std::to_string(size));
    const auto checks = CheckHeaps({&path_, 1});
    ASSERT_TRUE(!checks || !(*checks)[0].faults.empty()) << size;
  }
}

TEST_F(HeapReader, FlippedBitsAreNoticed) {
  const std::unique_ptr<HeapModel> whole = SampleHeap(1, 60);
  const std::string bytes = EncodeHeap(*whole, {.objects_per_batch = 20}).bytes();
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string flipped = bytes;
    flipped[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    WriteFile(path_, flipped);
    ExpectHonest(path_, *whole, "flip " + std::to_string(i));
    const auto checks = CheckHeaps({&path_, 1});
    ASSERT_TRUE(!checks || !(*checks)[0].faults.empty()) << i;
  }
}

TEST_F(HeapReader, BatchesThatBreakARuleAreLostWithASentence) {
  struct Case {
    const char* batch;
    const char* clause;
  };
  for (const Case& wrong : {
           Case{"first_address: 4096 class: 2 gap: 0", "not described"},
           Case{"first_address: 4096 class: 1", "have different lengths"},
           Case{"first_address: 4096 class: 1 gap: 0", "have different lengths"},
           Case{"first_address: 4096 class: 1 gap: 0 slot: 0 slot: 0", "have different lengths"},
           Case{"first_address: 4097 class: 1 gap: 0 slot: 0", "out of range"},
           Case{"first_address: 18446744073709551608 class: 1 gap: 0 slot: 0", "out of range"},
           Case{"first_address: 4096 class: 1 class: 1 gap: 0 gap: 18446744073709551615 slot: 0 "
                "slot: 0",
                "out of range"},
           Case{"first_address: 4096 class: 1 gap: 0 slot: 0 value: 1", "have different lengths"},
           Case{"first_address: 4096 class: 3 gap: 0 length: 4294967296", "longer than"},
           Case{"first_address: 4096 class: 3 gap: 0 length: 9 first_slot: 1", "no first part"},
           Case{"", "empty"},
       }) {
    HeapFile file;
    file.AddTables(ParseText(R"(
        packet { heap_snapshot { number: 1 } }
        packet { heap_class { id: 1 base_bytes: 24 slot_offset: 8 } }
        packet { heap_class { id: 3 base_bytes: 24 component_bytes: 8 kind: ARRAY
                 slot_offset: 0 } })"));
    file.Add(ParseText("packet { heap_objects { " + std::string(wrong.batch) + " } }"),
             SegmentKind::kHeapObjects);
    const auto model = Read(file.bytes());
    ASSERT_FALSE(model) << wrong.batch;
    EXPECT_NE(model.error().sentence.find(wrong.clause), std::string::npos)
        << wrong.batch << ": " << model.error().sentence;
  }
}

// 8,192 parts of arrays that each claim 2^19 * (2^32 - 1) slots, and one that claims two elements'
// worth: in 64 bits their sum is 2^32 - 2, and the bits of all but the first are far beyond a
// column of that size.
TEST_F(HeapReader, SlotsThatAreOnlyClaimedDoNotWrap) {
  HeapFile file;
  Recording tables = ParseText(R"(
      packet { heap_snapshot { number: 1 } }
      packet { heap_class { id: 1 base_bytes: 24 component_bytes: 8 kind: ARRAY } }
      packet { heap_class { id: 2 base_bytes: 24 component_bytes: 8 kind: ARRAY
               slot_offset: 0 slot_offset: 0 } })");
  HeapClass& wide = *tables.mutable_packet(1)->mutable_heap_class();
  for (int i = 0; i < 1 << 19; ++i) wide.add_slot_offset(0);
  file.AddTables(tables);
  constexpr uint64_t kBatches = 8193;
  Recording batches;
  for (uint64_t i = 0; i < kBatches; ++i) {
    HeapObjects& batch = *batches.add_packet()->mutable_heap_objects();
    batch.set_first_address(0x10000 + i * (uint64_t{1} << 36));
    batch.add_class_(i + 1 < kBatches ? 1 : 2);
    batch.add_gap(0);
    batch.add_length(UINT32_MAX);
    batch.add_slot(1);
    batch.set_is_partial(true);
  }
  file.Add(batches, SegmentKind::kHeapObjects);
  const auto model = Read(file.bytes());
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().sentence.find("more slots or values than the format allows"),
            std::string::npos)
      << model.error().sentence;
}

// Claims that nothing in the file backs take no memory: a part of one array that claims gigabytes.
TEST_F(HeapReader, MissingSlotsHaveALimit) {
  HeapFile file;
  file.AddTables(ParseText(R"(
      packet { heap_snapshot { number: 1 } }
      packet { heap_class { id: 1 base_bytes: 24 component_bytes: 8 kind: ARRAY
               slot_offset: 0 slot_offset: 1 slot_offset: 2 } })"));
  file.Add(ParseText("packet { heap_objects { first_address: 4096 class: 1 gap: 0 "
                     "length: 4294967295 slot: 0 is_partial: true } }"),
           SegmentKind::kHeapObjects);
  const auto model = Read(file.bytes());
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().sentence.find("more slots"), std::string::npos);
}

// `file` and its last segment `count` times more: compressed once.
std::string WithCopies(const HeapFile& file, uint64_t count) {
  std::string bytes = file.bytes();
  const std::string_view last =
      std::string_view(file.bytes()).substr(file.segment_offsets().back());
  SegmentHeader header;
  DecodeSegmentHeader(std::as_bytes(std::span(last)), header);
  for (uint64_t i = 0; i < count; ++i) {
    ++header.sequence;
    bytes += EncodeSegmentAround(header, last.substr(kSegmentHeaderBytes));
  }
  return bytes;
}

TEST_F(HeapReader, ASnapshotThatExpandsBeyondReasonIsRefused) {
  HeapFile file;
  file.AddTables(ParseText(R"(
      packet { heap_snapshot { number: 1 } }
      packet { heap_class { id: 1 base_bytes: 24 } })"));
  HeapObjects batch;
  batch.set_first_address(0x10000);
  for (int i = 0; i < 400'000; ++i) {
    batch.add_class_(1);
    batch.add_gap(0);
  }
  Recording same;
  for (int i = 0; i < 4; ++i) *same.add_packet()->mutable_heap_objects() = batch;
  file.Add(same, SegmentKind::kHeapObjects);
  const std::string bytes = WithCopies(file, 180);
  ASSERT_LT(bytes.size(), size_t{1} << 20);
  const auto model = Read(bytes);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().sentence.find("256 times"), std::string::npos) << model.error().sentence;
  const std::vector<HeapCheck> checks = Check(bytes);
  ASSERT_EQ(checks.size(), 1u);
  ASSERT_EQ(checks[0].faults.size(), 1u);
}

TEST(Column, ChecksItsBoundsInEveryBuild) {
  analyzer::Column<uint64_t> column(3);
  column[2] = 1;
  EXPECT_THROW(column[3] = 1, std::out_of_range);
  const uint64_t two[] = {1, 2};
  column.Put(1, two);
  EXPECT_THROW(column.Put(2, two), std::out_of_range);
  EXPECT_THROW(column.Put(SIZE_MAX, two), std::out_of_range);
  EXPECT_THROW(analyzer::Column<uint64_t>(SIZE_MAX / 4), std::bad_alloc);
  analyzer::RankedBits bits(64);
  EXPECT_THROW(bits.Set(64), std::out_of_range);
}

TEST_F(HeapReader, RowsOfTablesHaveLimits) {
  HeapFile file;
  file.AddTables(ParseText("packet { heap_snapshot { number: 1 } }"));
  Recording roots;
  for (int i = 0; i < 400'000; ++i) {
    if (i % 100'000 == 0) roots.add_packet();
    HeapRoots& last = *roots.mutable_packet(roots.packet_size() - 1)->mutable_heap_roots();
    last.add_kind(HeapRoots::STRONG_HANDLE);
    last.add_address_delta(0);
  }
  constexpr uint64_t kFit = (uint64_t{1} << 24) / 400'000;
  file.AddTables(roots);
  const std::vector<HeapCheck> checks = Check(WithCopies(file, kFit + 1));
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].facts.lost_segments, 2u);
}

TEST_F(HeapReader, OverlappingBatchesAreNotBelieved) {
  HeapFile file;
  file.AddTables(ParseText(R"(
      packet { heap_snapshot { number: 1 } }
      packet { heap_class { id: 1 base_bytes: 24 base: 2 } }
      packet { heap_class { id: 2 base_bytes: 24 base: 1 } })"));
  file.AddObjects(BatchAt(0x1000, 3));
  file.AddObjects(BatchAt(0x1010, 3));
  const auto model = Read(file.bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  EXPECT_EQ((*model)->graph.size(), 3u);
  EXPECT_EQ((*model)->graph.facts.lost_segments, 1u);
  // Nor are cycles of base classes.
  EXPECT_EQ((*model)->graph.classes()[2].base, 0u);
}

}  // namespace
}  // namespace hindsight::testing
