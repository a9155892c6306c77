// Threads and monitors of a snapshot, as the reader takes them from a file.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/heap/heap_fields.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/heap_file.h"
#include "tests/support/recording_builder.h"

namespace hindsight::testing {
namespace {

using analyzer::HeapCheck;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::Result;

class HeapThreads : public ::testing::Test {
 protected:
  Result<std::unique_ptr<HeapModel>> Read(const std::string& bytes) {
    WriteFile(path_, bytes);
    return analyzer::ReadHeap({&path_, 1}, {});
  }
  std::vector<HeapCheck> Check(const std::string& bytes) {
    WriteFile(path_, bytes);
    auto checks = analyzer::CheckHeaps({&path_, 1});
    return checks ? std::move(checks).value() : std::vector<HeapCheck>();
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "heap-000001.hsr";
};

TEST_F(HeapThreads, TakesThreadsAsTheyAre) {
  HeapFile file;
  file.AddTables(ParseText(R"(
      packet { heap_snapshot { number: 1 } }
      packet { heap_class { id: 1 base_bytes: 24 } }
      packet { string { id: 1 value: "Run" } }
      packet { method { id: 1 name: 1 } }
      packet { frame { id: 1 method: 1 } }
      packet { frame { id: 2 } }
      packet { stack { id: 1 frame: 1 } }
      packet { stack { id: 2 parent: 1 frame: 2 } }
      packet { stack { id: 3 parent: 2 frame: 2 } }
      packet { stack { id: 4 parent: 3 frame: 1 } }
      packet { thread { id: 7 os_id: 70 } }
      packet { heap_thread { thread: 7 stack: 4 waiting_monitor: 4097
               object_delta: 4096 object_offset: 8 object_frame: 1
               object_delta: 24 object_offset: 16 object_frame: 2
               object_delta: 0 object_offset: 24 object_frame: 3
               object_delta: 8 object_offset: 32 object_frame: 4
               object_delta: -8 object_offset: 40 object_frame: 9 } }
      packet { heap_thread { thread: 7 } }
      packet { heap_thread { thread: 8 } }
      packet { heap_monitors { object_delta: 4104 owner_os_id: 1 owner_managed_id: 1
               recursion: 0 waited_for: true } })"));
  HeapObjects batch;
  batch.set_first_address(0x1000);
  for (int i = 0; i < 2; ++i) {
    batch.add_class_(1);
    batch.add_gap(0);
  }
  file.AddObjects(batch);
  const auto model = Read(file.bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const HeapGraph& graph = (*model)->graph;
  // One entry per thread, but unidentified threads are not the same one.
  ASSERT_EQ(graph.threads().size(), 2u);
  EXPECT_EQ(graph.threads()[0].os_id, 0u);
  const analyzer::HeapThread& thread = graph.threads()[1];
  EXPECT_EQ(thread.os_id, 70u);
  // Addresses inside objects are not objects. Consecutive native frames are one.
  EXPECT_EQ(thread.waiting_monitor, analyzer::kNoObject);
  EXPECT_TRUE(graph.monitors().empty());
  EXPECT_EQ((*model)->dictionaries.Path(thread.stack).size(), 3u);
  ASSERT_EQ(thread.objects.size(), 4u);
  EXPECT_EQ(thread.objects[0].object, 0u);
  EXPECT_EQ(thread.objects[0].frame, 0u);
  EXPECT_EQ(thread.objects[1].object, 1u);
  EXPECT_EQ(thread.objects[1].frame, 1u);
  EXPECT_EQ(thread.objects[2].frame, 1u);
  EXPECT_EQ(thread.objects[3].frame, 8u);
}

TEST_F(HeapThreads, ThreadsAndMonitorsWhoseColumnsDoNotFitLoseTheirSegment) {
  for (const char* wrong :
       {"heap_thread { object_delta: 1 }", "heap_thread { object_delta: 1 object_offset: 1 }",
        "heap_thread { stack: 4294967295 }", "heap_monitors { object_delta: 1 owner_os_id: 1 }"}) {
    HeapFile file;
    file.AddTables(ParseText("packet { " + std::string(wrong) + " }"));
    const std::vector<HeapCheck> checks = Check(file.bytes());
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].facts.lost_segments, 1u) << wrong;
  }
}

TEST_F(HeapThreads, HaveTheNamesOfTheirObjects) {
  HeapBuilder heap;
  const auto type = heap.Class("System.Threading.Thread", {"_name"});
  heap.AddValueField(type, "_DONT_USE_InternalThread");
  heap.AddValueField(type, "_managedThreadId");
  heap.AddValueField(type, "_name", analyzer::ValueField::Kind::kText);
  const analyzer::ObjectId named = heap.Add(type), nameless = heap.Add(type),
                           ended = heap.Add(type);
  heap.Value(named, "_DONT_USE_InternalThread", 0x1000);
  heap.Value(named, "_managedThreadId", 4);
  heap.Text(named, "_name", "a worker with a long name");
  heap.Value(nameless, "_DONT_USE_InternalThread", 0x2000);
  heap.Value(nameless, "_managedThreadId", 5);
  heap.Text(ended, "_name", "it has ended");
  heap.Thread({.os_id = 11, .name = "a worker with a", .clr_thread = 0x1000, .managed_id = 9});
  heap.Thread({.os_id = 12, .name = "kernel's", .clr_thread = 0x2000});
  heap.Thread({.os_id = 13, .name = "native"});
  const auto model = Read(EncodeHeap(*heap.Build()).bytes());
  ASSERT_TRUE(model) << model.error().sentence;
  const auto threads = (*model)->graph.threads();
  ASSERT_EQ(threads.size(), 3u);
  const auto name = [&](size_t i) { return (*model)->dictionaries.String(threads[i].name); };
  EXPECT_EQ(name(0), "a worker with a long name");
  EXPECT_EQ(threads[0].managed_id, 9u);  // the recorder's value takes precedence
  EXPECT_EQ(name(1), "kernel's");
  EXPECT_EQ(threads[1].managed_id, 5u);
  EXPECT_EQ(name(2), "native");
  EXPECT_EQ((*model)->graph.facts.threads, 3u);
}

TEST_F(HeapThreads, AreCountedWithTheLocks) {
  HeapBuilder heap;
  const analyzer::ObjectId gate = heap.Add(heap.Class("Shop.Gate"));
  heap.Monitor({.object = gate, .owner_os_id = 11, .waited_for = true});
  heap.Thread({.os_id = 11});
  heap.Thread({.os_id = 12, .waiting_monitor = gate});
  heap.MonitorsUnknown("Nobody\x1b knows.");
  const std::vector<HeapCheck> checks = Check(EncodeHeap(*heap.Build()).bytes());
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_TRUE(checks[0].faults.empty());
  const std::string line = analyzer::HeapFactsLine(checks[0].facts);
  EXPECT_NE(line.find("2 threads, 1 lock in use"), std::string::npos) << line;
  EXPECT_NE(line.find("some locks are unknown: Nobody"), std::string::npos) << line;
  EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  const auto json = nlohmann::json::parse(
      analyzer::JsonOf(analyzer::HeapSnapshotFields(), checks[0].facts, analyzer::Nothing()));
  EXPECT_EQ(json.at("threads"), 2);
  EXPECT_EQ(json.at("monitors"), 1);
}

}  // namespace
}  // namespace hindsight::testing
