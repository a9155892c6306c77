// Collections, allocations and CPU samples: from events as the callbacks write them to packets on
// disk.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "recorder/sources/allocations/allocation_packets.h"
#include "recorder/sources/cpu/cpu_packets.h"
#include "recorder/sources/exceptions/fatal_error_packets.h"
#include "recorder/sources/exceptions/fatal_errors.h"
#include "recorder/sources/exit/exit_call_packets.h"
#include "recorder/sources/exit/exit_calls.h"
#include "recorder/sources/gc/collection_details.h"
#include "recorder/sources/gc/collection_packets.h"
#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"
#include "tests/unit/recorder/runtime_payloads.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kThread = 4'000'001;  // no kernel thread of this process

class RuntimePacketsTest : public PacketsTest {
 protected:
  RuntimePacketsTest() : PacketsTest(false) {}

  void Detail(uint32_t id, const Payload& payload) {
    const std::vector<uint8_t>& bytes = payload.bytes();
    std::vector<uint64_t> memory((sizeof(CollectionDetailEvent) + bytes.size() + 7) / 8);
    auto& event = *reinterpret_cast<CollectionDetailEvent*>(memory.data());
    event.header = {static_cast<uint16_t>(memory.size()), EventKind::kCollectionDetail, kThread, 1};
    event.id = id;
    event.bytes = static_cast<uint32_t>(bytes.size());
    std::memcpy(&event + 1, bytes.data(), bytes.size());
    packets_.Begin();
    collections_.Consume(event.header, packets_);
  }
  void Collection(uint32_t number, uint32_t runtime_number, uint32_t generation) {
    CollectionEvent event{};
    event.header = {sizeof(event) / 8, EventKind::kCollection, kThread, 1000 + number};
    event.number = number;
    event.runtime_number = runtime_number;
    event.generation = generation;
    event.duration_ns = 10;
    packets_.Begin();
    collections_.Consume(event.header, packets_);
  }
  void Ends(uint32_t number, uint64_t stats) {
    Detail(CollectionDetails::kEnd, GcEnd(number, 0));
    Detail(CollectionDetails::kHeapStats, GcHeapStats(stats));
  }
  void Allocated(uint64_t time_ns, uint64_t size, AllocationSampling sampling,
                 AllocationHeap heap = AllocationHeap::kSmall) {
    struct {
      AllocationSampledEvent event;
      uintptr_t frame;
    } sampled{};
    sampled.event.header = {sizeof(sampled) / 8, EventKind::kAllocationSampled, kThread, time_ns};
    sampled.event.size = size;
    sampled.event.amount = 10 * size;
    sampled.event.sampling = sampling;
    sampled.event.heap = heap;
    sampled.event.frames_inline = 1;
    sampled.frame = 0x4000 + size;
    packets_.Begin();
    allocations_.Consume(sampled.event.header, packets_);
  }
  // In native code, about which the runtime is not queried.
  void Sampled(uint64_t time_ns) {
    struct {
      CpuSampleEvent event;
      uintptr_t frame;
    } sampled{};
    sampled.event.header = {sizeof(sampled) / 8, EventKind::kCpuSample, kThread, time_ns};
    sampled.event.weight = 1;
    sampled.event.frames = 1;
    sampled.event.rooted = true;
    sampled.frame = reinterpret_cast<uintptr_t>(&std::memcpy);
    packets_.Begin();
    samples_.Consume(sampled.event.header, packets_);
  }
  void EndSegment(SegmentKind kind = SegmentKind::kData) {
    packets_.Begin();
    if (kind == SegmentKind::kLast) collections_.WillEnd();
    collections_.Flush(packets_);
    allocations_.Flush(packets_);
    samples_.Flush(packets_);
    ASSERT_TRUE(packets_.End(kind));
  }
  std::vector<hindsight::Packet> Close() {
    EndSegment(SegmentKind::kLast);
    EXPECT_TRUE(segments_.Close());
    const ReadResult result = ReadRecording(segments_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    std::vector<hindsight::Packet> packets;
    for (const ReadSegment& segment : result.segments) {
      packets.insert(packets.end(), segment.recording.packet().begin(),
                     segment.recording.packet().end());
    }
    return packets;
  }
  std::map<uint32_t, hindsight::GarbageCollection> CloseCollections() {
    std::map<uint32_t, hindsight::GarbageCollection> collections;
    for (const hindsight::Packet& packet : Close()) {
      if (!packet.has_garbage_collection()) continue;
      EXPECT_TRUE(
          collections.emplace(packet.garbage_collection().number(), packet.garbage_collection())
              .second);
    }
    return collections;
  }

  CollectionPackets collections_{dictionaries_, threads_};
  AllocationPackets allocations_{dictionaries_, threads_};
  MemoryBudget budget_;
  SignalWalker walker_;
  FatalErrorPackets fatal_errors_{/*recording=*/1, dictionaries_, threads_};
  ExitCallPackets exit_call_{dictionaries_, threads_};
  CpuPackets samples_{nullptr, gate_, 100, walker_, dictionaries_, threads_};
};

TEST_F(RuntimePacketsTest, ACollectionHasWhatItsEventsReport) {
  Detail(CollectionDetails::kStart, GcStart(41, 1, 6, 0));
  Detail(CollectionDetails::kGlobalHeapHistory, GcGlobalHeapHistory(1, 0x2, 63));
  Detail(CollectionDetails::kPerHeapHistory, GcPerHeapHistory(1000));
  Collection(1, 41, 1);
  Detail(CollectionDetails::kDynamic, GcCommittedUsage(11));
  Ends(41, 500);
  const auto collections = CloseCollections();
  ASSERT_EQ(collections.size(), 1u);
  const hindsight::GarbageCollection& collection = collections.at(1);
  EXPECT_EQ(collection.runtime_number(), 41u);
  EXPECT_EQ(collection.reason(), 7u);
  EXPECT_EQ(collection.type(), hindsight::GarbageCollection::BLOCKING);
  ASSERT_EQ(collection.sizes_size(), 5);
  EXPECT_EQ(collection.sizes(2).generation(), 2u);
  EXPECT_EQ(collection.sizes(2).before_bytes(), 1200u);
  EXPECT_EQ(collection.sizes(2).after_bytes(), 1203u);
  EXPECT_EQ(collection.sizes(2).promoted_bytes(), 521u);
  EXPECT_EQ(collection.pinned_objects(), 5u);
  EXPECT_EQ(collection.committed_bytes(), 44u);
  EXPECT_EQ(collection.heaps(), 1u);
  EXPECT_TRUE(collection.compacting());
}

TEST_F(RuntimePacketsTest, ACollectionInsideABackgroundOneHasItsOwn) {
  Detail(CollectionDetails::kStart, GcStart(7, 2, 0, 1));
  Detail(CollectionDetails::kStart, GcStart(8, 1, 0, 0));
  Detail(CollectionDetails::kPerHeapHistory, GcPerHeapHistory(8000));
  Collection(2, 8, 1);
  Ends(8, 800);
  EndSegment();
  Detail(CollectionDetails::kStart, GcStart(9, 0, 0, 2));
  Detail(CollectionDetails::kPerHeapHistory, GcPerHeapHistory(9000));
  Collection(3, 9, 0);
  Ends(9, 900);
  EndSegment();
  Detail(CollectionDetails::kPerHeapHistory, GcPerHeapHistory(7000));
  Collection(1, 7, 2);
  Ends(7, 700);
  const auto collections = CloseCollections();
  ASSERT_EQ(collections.size(), 3u);
  for (const auto& [number, runtime_number] :
       std::map<uint32_t, uint32_t>{{1, 7}, {2, 8}, {3, 9}}) {
    const hindsight::GarbageCollection& collection = collections.at(number);
    EXPECT_EQ(collection.runtime_number(), runtime_number);
    ASSERT_EQ(collection.sizes_size(), 5);
    EXPECT_EQ(collection.sizes(0).before_bytes(), runtime_number * 1000);
    EXPECT_EQ(collection.sizes(0).promoted_bytes(), runtime_number * 100 + 1);
  }
  EXPECT_EQ(collections.at(1).type(), hindsight::GarbageCollection::BACKGROUND);
  EXPECT_EQ(collections.at(3).type(), hindsight::GarbageCollection::BLOCKING_DURING_BACKGROUND);
}

TEST_F(RuntimePacketsTest, ACollectionWithoutEventsIsAsTheCallbacksReport) {
  Collection(1, 0, 2);
  Collection(2, 12, 0);  // its events never come
  const auto collections = CloseCollections();
  ASSERT_EQ(collections.size(), 2u);
  for (const auto& [number, collection] : collections) {
    EXPECT_EQ(collection.runtime_number(), 0u);
    EXPECT_EQ(collection.sizes_size(), 0);
    EXPECT_EQ(collection.duration_ns(), 10u);
  }
}

TEST_F(RuntimePacketsTest, ACallForACollectionHasItsStack) {
  struct {
    CollectCalledEvent event;
    uintptr_t frames[2];
  } called{};
  called.event.header = {sizeof(called) / 8, EventKind::kCollectCalled, kThread, 1'000'000};
  called.event.reason = 1;
  called.event.frames_inline = 2;
  called.frames[0] = 0x4000;
  called.frames[1] = 0x5000;
  packets_.Begin();
  collections_.Consume(called.event.header, packets_);
  int calls = 0;
  for (const hindsight::Packet& packet : Close()) {
    if (!packet.has_collect_call()) continue;
    ++calls;
    EXPECT_NE(packet.collect_call().thread(), 0u);
    EXPECT_NE(packet.collect_call().stack(), 0u);
    EXPECT_EQ(packet.collect_call().reason(), 2u);
  }
  EXPECT_EQ(calls, 1);
}

TEST_F(RuntimePacketsTest, SamplesOfASegmentAreColumnsOfOnePacket) {
  Allocated(1'000'000, 24, AllocationSampling::kBytes);
  Allocated(1'000'900, 48, AllocationSampling::kBytes);
  Allocated(1'002'100, 100'000, AllocationSampling::kBytes, AllocationHeap::kLarge);
  EndSegment();
  Allocated(5'000'000, 32, AllocationSampling::kTick);
  std::vector<hindsight::AllocationSamples> all;
  for (const hindsight::Packet& packet : Close()) {
    if (packet.has_allocation_samples()) all.push_back(packet.allocation_samples());
  }
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].sampling(), hindsight::AllocationSamples::BYTES);
  EXPECT_EQ(all[0].mean_bytes(), 102'400u);
  EXPECT_EQ(std::vector<int>(all[0].time_delta_us().begin(), all[0].time_delta_us().end()),
            (std::vector{0, 0, 2}));
  EXPECT_EQ(all[0].size_size(), 3);
  EXPECT_EQ(all[0].size(2), 100'000u);
  EXPECT_EQ(all[0].heap(2), hindsight::AllocationSamples::LARGE);
  EXPECT_NE(all[0].stack(0), 0u);
  EXPECT_NE(all[0].stack(0), all[0].stack(1));
  EXPECT_EQ(all[0].amount_size(), 0);
  EXPECT_EQ(all[1].sampling(), hindsight::AllocationSamples::TICK);
  EXPECT_EQ(all[1].amount(0), 320u);
  EXPECT_EQ(all[1].heap_size(), 0);
}

TEST_F(RuntimePacketsTest, AFatalErrorIsUrgentAndHasItsMessage) {
  constexpr std::u16string_view kMessage = u"the ledger is corrupt";
  struct {
    FatalErrorEvent event;
    char16_t message[24];
  } failed{};
  failed.event.header = {sizeof(failed) / 8, EventKind::kFatalError, kThread, 1'000'000};
  failed.event.location = 0x4000;
  failed.event.code = 0x80131623;
  failed.event.message_units = kMessage.size();
  kMessage.copy(failed.message, kMessage.size());
  EXPECT_FALSE(fatal_errors_.TakeUrgent());
  packets_.Begin();
  fatal_errors_.Consume(failed.event.header, packets_);
  EXPECT_TRUE(fatal_errors_.TakeUrgent());
  EXPECT_FALSE(fatal_errors_.TakeUrgent());
  std::string message;
  int errors = 0;
  for (const hindsight::Packet& packet : Close()) {
    if (packet.has_string()) message = packet.string().value();
    if (!packet.has_fatal_error()) continue;
    ++errors;
    EXPECT_EQ(packet.fatal_error().code(), 0x80131623u);
    EXPECT_NE(packet.fatal_error().message(), 0u);
    EXPECT_NE(packet.fatal_error().stack(), 0u);  // where it failed
    EXPECT_NE(packet.fatal_error().thread(), 0u);
  }
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(message, "the ledger is corrupt");
}

TEST_F(RuntimePacketsTest, AnExitHasItsCaller) {
  struct {
    ExitCallEvent event;
    uintptr_t frames[2];
  } exit{};
  exit.event.header = {sizeof(exit) / 8, EventKind::kExitCalled, kThread, 1'000'000};
  exit.event.frames_inline = 2;
  exit.frames[0] = 0x4000;
  exit.frames[1] = 0x5000;
  packets_.Begin();
  exit_call_.Consume(exit.event.header, packets_);
  int exits = 0;
  for (const hindsight::Packet& packet : Close()) {
    if (!packet.has_exit_call()) continue;
    ++exits;
    EXPECT_NE(packet.exit_call().thread(), 0u);
    EXPECT_NE(packet.exit_call().stack(), 0u);
  }
  EXPECT_EQ(exits, 1);
}

TEST_F(RuntimePacketsTest, TimesOfCpuSamplesAreRoundedAndErrorsDoNotAddUp) {
  budget_.SetLimit(64 << 20);
  ASSERT_TRUE(walker_.Open(budget_));
  walker_.RefreshNativeModules();
  constexpr uint64_t kStartNs = 1'000'000, kApartNs = 1'009'000;
  constexpr int kSamples = 1000;
  for (int i = 0; i < kSamples; ++i) Sampled(kStartNs + i * kApartNs);
  Sampled(kStartNs);  // of a thread whose samples were fetched last
  std::vector<int64_t> times_us;
  for (const hindsight::Packet& packet : Close()) {
    if (!packet.has_cpu_samples()) continue;
    int64_t time_us = 0;
    for (const int32_t delta_us : packet.cpu_samples().time_delta_us()) {
      EXPECT_EQ(delta_us % 16, 0);
      times_us.push_back(time_us += delta_us);
    }
  }
  walker_.Close(budget_);
  ASSERT_EQ(times_us.size(), kSamples + 1u);
  for (int i = 0; i < kSamples; ++i) {
    ASSERT_NEAR(static_cast<double>(times_us[i]), static_cast<double>(i * kApartNs) / 1000, 16)
        << i;
  }
  EXPECT_NEAR(static_cast<double>(times_us.back()), 0, 16);
}

// A process may be stopped for long.
TEST_F(RuntimePacketsTest, CpuSamplesThatAreHoursApartAreInTwoPackets) {
  budget_.SetLimit(64 << 20);
  ASSERT_TRUE(walker_.Open(budget_));
  walker_.RefreshNativeModules();
  constexpr uint64_t kHourNs = 3'600'000'000'000;
  Sampled(kHourNs);
  Sampled(kHourNs + 10'000'000);
  Sampled(3 * kHourNs);
  std::vector<int64_t> times_ns;
  int64_t now_ns = 0;
  for (const hindsight::Packet& packet : Close()) {
    if (packet.has_segment_start()) now_ns = 0;
    now_ns += packet.time_delta_ns();
    int64_t time_ns = now_ns;
    for (const int32_t delta_us : packet.cpu_samples().time_delta_us()) {
      times_ns.push_back(time_ns += int64_t{delta_us} * 1000);
    }
  }
  walker_.Close(budget_);
  ASSERT_EQ(times_ns.size(), 3u);
  EXPECT_EQ(times_ns[1] - times_ns[0], 10'000'000);
  EXPECT_EQ(times_ns[2] - times_ns[0], static_cast<int64_t>(2 * kHourNs));
}

}  // namespace
}  // namespace hindsight::recorder
