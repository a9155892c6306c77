// From the files of a snapshot to its graph: what was written is read back, and damage is reported.
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

using analyzer::HeapCheck;
using analyzer::HeapFacts;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::ListHeaps;
using analyzer::ObjectId;
using analyzer::ReadHeap;
using analyzer::Result;

std::vector<std::string> Frames(const HeapModel& model, analyzer::StackId stack) {
  std::vector<std::string> frames;
  for (const analyzer::MethodId id : model.dictionaries.Path(stack)) {
    frames.emplace_back(model.dictionaries.String(model.dictionaries.method(id).name));
  }
  return frames;
}

void ExpectSameThreads(const HeapModel& expected, const HeapModel& actual) {
  const HeapGraph& a = expected.graph;
  const HeapGraph& b = actual.graph;
  EXPECT_EQ(b.monitors_unknown_because(), a.monitors_unknown_because());
  ASSERT_EQ(b.monitors().size(), a.monitors().size());
  for (size_t i = 0; i < a.monitors().size(); ++i) {
    EXPECT_EQ(b.monitors()[i].object, a.monitors()[i].object);
    EXPECT_EQ(b.monitors()[i].owner_os_id, a.monitors()[i].owner_os_id);
    EXPECT_EQ(b.monitors()[i].owner_managed_id, a.monitors()[i].owner_managed_id);
    EXPECT_EQ(b.monitors()[i].recursion, a.monitors()[i].recursion);
    EXPECT_EQ(b.monitors()[i].waited_for, a.monitors()[i].waited_for);
  }
  ASSERT_EQ(b.threads().size(), a.threads().size());
  for (size_t i = 0; i < a.threads().size(); ++i) {
    const analyzer::HeapThread& x = a.threads()[i];
    const analyzer::HeapThread& y = b.threads()[i];
    EXPECT_EQ(y.os_id, x.os_id);
    EXPECT_EQ(actual.dictionaries.String(y.name), expected.dictionaries.String(x.name));
    EXPECT_EQ(y.clr_thread, x.clr_thread);
    EXPECT_EQ(y.managed_id, x.managed_id);
    EXPECT_EQ(Frames(actual, y.stack), Frames(expected, x.stack));
    EXPECT_EQ(y.cpu_ns, x.cpu_ns);
    EXPECT_EQ(y.state, x.state);
    EXPECT_EQ(y.waiting_monitor, x.waiting_monitor);
    ASSERT_EQ(y.objects.size(), x.objects.size());
    for (size_t n = 0; n < x.objects.size(); ++n) {
      EXPECT_EQ(y.objects[n].object, x.objects[n].object);
      EXPECT_EQ(y.objects[n].offset, x.objects[n].offset);
      EXPECT_EQ(y.objects[n].frame, x.objects[n].frame);
    }
  }
}

void ExpectSame(const HeapModel& expected, const HeapModel& actual) {
  const HeapGraph& a = expected.graph;
  const HeapGraph& b = actual.graph;
  EXPECT_EQ(actual.application, expected.application);
  EXPECT_EQ(actual.pid, expected.pid);
  ASSERT_EQ(b.size(), a.size());
  for (ObjectId id = 0; id < a.size(); ++id) {
    ASSERT_EQ(b.Address(id), a.Address(id));
    ASSERT_EQ(b.ClassOf(id), a.ClassOf(id));
    ASSERT_EQ(b.Bytes(id), a.Bytes(id));
    ASSERT_EQ(b.Length(id), a.Length(id));
    ASSERT_EQ(b.GenerationOf(id), a.GenerationOf(id));
    ASSERT_TRUE(std::ranges::equal(b.References(id), a.References(id)));
    for (size_t n = 0; n < a.References(id).size(); ++n) {
      ASSERT_EQ(b.SlotOfReference(id, n), a.SlotOfReference(id, n));
    }
    for (uint32_t field = 0; field < 2; ++field) {
      ASSERT_EQ(b.Value(id, field), a.Value(id, field));
      ASSERT_EQ(b.Text(id, field), a.Text(id, field));
    }
  }
  ASSERT_EQ(b.roots().size(), a.roots().size());
  for (size_t i = 0; i < a.roots().size(); ++i) {
    EXPECT_EQ(b.roots()[i].object, a.roots()[i].object);
    EXPECT_EQ(b.roots()[i].kind, a.roots()[i].kind);
    const auto name = [i](const HeapModel& model) {
      const analyzer::Method& method = model.dictionaries.method(model.graph.roots()[i].method);
      return std::string(model.dictionaries.String(method.name));
    };
    EXPECT_EQ(name(actual), name(expected));
  }
  ASSERT_EQ(b.statics().size(), a.statics().size());
  for (size_t i = 0; i < a.statics().size(); ++i) {
    EXPECT_EQ(b.statics()[i].holder, a.statics()[i].holder);
    EXPECT_EQ(b.statics()[i].slot, a.statics()[i].slot);
    EXPECT_EQ(b.statics()[i].thread_os_id, a.statics()[i].thread_os_id);
  }
  ASSERT_EQ(b.dependents().size(), a.dependents().size());
  EXPECT_EQ(b.dependents()[0].key, a.dependents()[0].key);
  EXPECT_EQ(b.dependents()[0].value, a.dependents()[0].value);
  ExpectSameThreads(expected, actual);
}

TEST_F(HeapReader, ReadsWhatWasWritten) {
  const std::unique_ptr<HeapModel> expected = SampleHeap();
  for (const HeapEncoding& encoding :
       {HeapEncoding{}, HeapEncoding{.objects_per_batch = 1}, HeapEncoding{.slots_per_batch = 7},
        HeapEncoding{.slots_per_batch = 9, .chained = true},
        HeapEncoding{.objects_per_batch = 10'000, .tables_last = true, .chained = true}}) {
    const HeapFile file = EncodeHeap(*expected, encoding);
    const auto model = Read(file.bytes());
    ASSERT_TRUE(model) << model.error().sentence;
    ExpectSame(*expected, **model);
    EXPECT_TRUE((*model)->graph.facts.complete());
    EXPECT_EQ((*model)->graph.facts.dangling_references, 0u);
    const std::vector<HeapCheck> checks = Check(file.bytes());
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_TRUE(checks[0].faults.empty()) << checks[0].faults[0];
    EXPECT_EQ(checks[0].objects, expected->graph.size());
  }
}

TEST_F(HeapReader, ReadsColumnsThatAreNotPacked) {
  HeapBuilder heap;
  const auto node = heap.Class("Shop.Node", {"_next"});
  heap.Add(node);
  heap.Add(node);
  heap.Refer(0, "_next", 1);
  heap.Root(0);
  HeapFile file = EncodeHeap(*heap.Build(), {.objects_per_batch = 100, .has_end = false});
  const std::string tables = file.bytes().substr(0, file.segment_offsets()[1]);
  // field 2 (first_address), then class, gap and slot one value at a time.
  std::string batch("\x11\x00\x10\x00\x00\x00\x7f\x00\x00", 9);
  batch += std::string("\x18\x01\x20\x00\x30\x07\x18\x01\x20\x00\x30\x00", 12);
  const std::string packet = "\xc2\x01" + std::string(1, static_cast<char>(batch.size())) + batch;
  HeapFile objects;
  objects.SkipSegments(1);
  std::string body("\x0a\x02\x12\x00", 4);
  body += "\x0a" + std::string(1, static_cast<char>(packet.size())) + packet;
  objects.AddBody(body, SegmentKind::kHeapObjects);
  const auto model = Read(tables + objects.bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  ASSERT_EQ((*model)->graph.size(), 2u);
  ASSERT_EQ((*model)->graph.References(0).size(), 1u);
  EXPECT_EQ((*model)->graph.References(0)[0], 1u);
}

TEST_F(HeapReader, ReadsSlotsThatNameNoFields) {
  HeapFile file;
  file.AddTables(ParseText(R"(
      packet { heap_snapshot { number: 1 method: CALLBACKS } }
      packet { heap_class { id: 1 base_bytes: 24 } })"));
  HeapObjects batch;
  batch.set_first_address(0x1000);
  for (const uint32_t count : {2, 0, 1}) {
    batch.add_class_(1);
    batch.add_gap(0);
    batch.add_slot_count(count);
  }
  for (const uint64_t delta : {3, 6, 5}) batch.add_slot(1 + (delta == 5 ? 5 : 2 * delta));
  file.AddObjects(batch);
  const auto model = Read(file.bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const HeapGraph& graph = (*model)->graph;
  ASSERT_EQ(graph.References(0).size(), 2u);
  EXPECT_EQ(graph.References(0)[0], 1u);
  EXPECT_EQ(graph.References(0)[1], 2u);
  EXPECT_EQ(graph.SlotOfReference(0, 1), 1u);
  EXPECT_EQ(graph.References(2)[0], 1u);
}

TEST_F(HeapReader, TakesTheNewestThatHasObjectsAndAnyThatIsNamed) {
  const std::string folder = dir_ / "shop-1.hindsight";
  SampleRecording().WriteFolder(folder);
  for (const uint32_t number : {1, 2}) {
    const HeapFile file = EncodeHeap(*SampleHeap(number));
    WriteFile(folder + "/" + file.name(), file.bytes());
  }
  HeapFile empty(3);
  empty.AddTables(ParseText("packet { heap_snapshot { number: 3 } }"));
  WriteFile(folder + "/" + empty.name(), empty.bytes());
  const auto newest = ReadHeap({&folder, 1}, {});
  ASSERT_TRUE(newest) << newest.error().sentence;
  EXPECT_EQ((*newest)->graph.facts.number, 2u);
  const auto first = ReadHeap({&folder, 1}, 1);
  ASSERT_TRUE(first);
  ExpectSame(*SampleHeap(1), **first);
  EXPECT_FALSE(ReadHeap({&folder, 1}, 3));
  const auto missing = ReadHeap({&folder, 1}, 7);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().sentence.find("it has 1, 2, 3"), std::string::npos);
  const auto facts = ListHeaps({&folder, 1});
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->size(), 3u);
  EXPECT_EQ((*facts)[1].certified_objects, (*newest)->graph.size());
  EXPECT_EQ((*facts)[2].result, HeapFacts::Result::kNoCertificate);
  // The stream of events is not affected.
  auto recording = analyzer::Recording::Open({&folder, 1});
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->integrity().intact());
  EXPECT_EQ(recording->integrity().heaps.size(), 3u);
}

// An abandoned snapshot contains less than the complete one before it.
TEST_F(HeapReader, TheNewestThatIsCompleteComesBeforeOneThatWasGivenUp) {
  using analyzer::HeapFacts;
  HeapFacts whole, given_up, empty;
  whole.number = 1;
  whole.certified_objects = 1000;
  whole.result = HeapFacts::Result::kComplete;
  given_up.number = 2;
  given_up.certified_objects = 400;
  given_up.result = HeapFacts::Result::kStoppedByTime;
  empty.number = 3;
  const auto newest = [](const std::vector<HeapFacts>& heaps) { return analyzer::NewestOf(heaps); };
  EXPECT_EQ(newest({}), std::nullopt);
  EXPECT_EQ(newest({whole, given_up, empty}), 1u);
  EXPECT_EQ(newest({given_up, empty}), 2u);
  EXPECT_EQ(newest({empty}), 3u);
  whole.lost_segments = 1;
  EXPECT_EQ(newest({whole, given_up, empty}), 2u);
}

TEST_F(HeapReader, SaysThatThereIsNoSnapshot) {
  const auto model = Read(SampleRecording().Concatenated());
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().sentence.find("hindsight-trigger snapshot"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::testing
