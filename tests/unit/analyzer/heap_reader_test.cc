// From the files of a snapshot to its graph: what was written is what is read, and what is damaged
// is said to be.
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

namespace hindsight::testing {
namespace {

using analyzer::CheckHeaps;
using analyzer::HeapCheck;
using analyzer::HeapFacts;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::ListHeaps;
using analyzer::ObjectId;
using analyzer::ReadHeap;
using analyzer::Result;
using analyzer::RootKind;
using analyzer::ValueField;

// A bit of everything.
std::unique_ptr<HeapModel> SampleHeap(uint32_t number = 1, int objects = 400) {
  HeapBuilder heap;
  heap.facts().number = number;
  const auto node = heap.Class("Shop.Node", {"_next", "_name", "_items"});
  const auto array = heap.Array("Shop.Node");
  const auto entries = heap.StructArray(heap.Type("Shop.Entry"), {"_key", "_value"}, 24);
  const auto bytes = heap.PlainArray("System.Byte", 1);
  const auto list = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("Shop.Node")}), {"_items"});
  heap.AddValueField(list, "_size");
  heap.AddValueField(heap.String(), "", ValueField::Kind::kText);
  std::mt19937 random(number);
  std::vector<ObjectId> ids;
  for (int i = 0; i < objects; ++i) {
    if (i == objects / 2) heap.StartGeneration(analyzer::Generation::kGen0);
    switch (random() % 6) {
      case 0:
      case 1:
        ids.push_back(heap.Add(node));
        break;
      case 2:
        ids.push_back(heap.Add(random() % 2 == 0 ? array : entries, random() % 70));
        break;
      case 3:
        ids.push_back(heap.AddString(std::string(random() % 40, 'x')));
        break;
      case 4:
        ids.push_back(heap.Add(bytes, random() % 500));
        break;
      default:
        ids.push_back(heap.Add(list));
        heap.Value(ids.back(), "_size", static_cast<int>(random() % 2000) - 1000);
    }
  }
  // Slots that a class does not have are refused: those are tried in vain.
  for (const ObjectId id : ids) {
    for (uint64_t slot = 0; slot < 140; ++slot) {
      if (random() % 3 == 0) continue;
      try {
        heap.Refer(id, slot, ids[random() % ids.size()]);
      } catch (const std::logic_error&) {
        break;
      }
    }
  }
  heap.Root(ids[0], RootKind::kStack, "Shop.Program.Main");
  heap.Root(ids[5], RootKind::kWeakHandle);
  heap.Static("Shop.Cache", "s_all", ids[7]);
  heap.Static("Shop.Cache", "t_mine", ids[8], 4711);
  heap.Dependent(ids[3], ids[4]);
  heap.Monitor({.object = ids[9], .owner_os_id = 11, .owner_managed_id = 1, .waited_for = true});
  heap.Monitor({.object = ids[2], .owner_managed_id = 4, .recursion = 3});
  heap.MonitorsUnknown("Nobody knows.");
  heap.Thread({.os_id = 4711,
               .name = "worker",
               .clr_thread = 0x7f1122334455,
               .managed_id = 4,
               .stack = {"", "Shop.Cart.Add", "Shop.Program.Main"},
               .objects = {{.object = ids[9], .offset = 16},
                           {.object = ids[6], .offset = 160, .frame = 1},
                           {.object = ids[1], .offset = 1600, .frame = 2}},
               .waiting_monitor = ids[9],
               .cpu_ns = 77,
               .state = analyzer::ThreadRunState::kRunning});
  heap.Thread({.os_id = 11, .stack = {"Shop.Cart..ctor", "Shop.Program.Main"}});
  return heap.Build();
}

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

class HeapReader : public ::testing::Test {
 protected:
  Result<std::unique_ptr<HeapModel>> Read(const std::string& bytes,
                                          std::optional<uint32_t> number = {}) {
    WriteFile(path_, bytes);
    return ReadHeap({&path_, 1}, number);
  }
  std::vector<HeapCheck> Check(const std::string& bytes) {
    WriteFile(path_, bytes);
    auto checks = CheckHeaps({&path_, 1});
    return checks ? std::move(checks).value() : std::vector<HeapCheck>();
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "heap-000001.hsr";
};

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
  // The stream of events is none the wiser.
  auto recording = analyzer::Recording::Open({&folder, 1});
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->integrity().intact());
  EXPECT_EQ(recording->integrity().heaps.size(), 3u);
}

// One that was given up shows less than the whole one before it.
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
        // Those that are left still stand in their slots.
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

// Reads and computes whatever there is.
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
// worth: in 64 bits their sum is 2^32 - 2, and the bits of all but the first lie far behind a
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

// What nothing in the file stands for takes no memory: a part of one array that claims gigabytes.
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
  HeapObjects batch;
  batch.set_first_address(0x1000);
  for (int i = 0; i < 3; ++i) {
    batch.add_class_(1);
    batch.add_gap(0);
  }
  file.AddObjects(batch);
  batch.set_first_address(0x1010);
  file.AddObjects(batch);
  const auto model = Read(file.bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  EXPECT_EQ((*model)->graph.size(), 3u);
  EXPECT_EQ((*model)->graph.facts.lost_segments, 1u);
  // Nor are base classes that go in circles.
  EXPECT_EQ((*model)->graph.classes()[2].base, 0u);
}

}  // namespace
}  // namespace hindsight::testing
