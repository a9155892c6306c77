// What is read from the runtime's events, and that no payload, however short or strange, is read
// beyond its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/signals.h"
#include "recorder/sources/gc/collection_facts.h"
#include "recorder/sources/requests/request_duration_packets.h"
#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/runtime_payloads.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kTick = 10, kSampled = 303;

TEST(ParseAllocationTest, ATickReportsItsBudgetToo) {
  const Payload payload = AllocationTick(5'000'000'000, 1, 0x7000, 0x12340, 90'000);
  const SampledAllocation allocation = ParseAllocation(kTick, payload.bytes());
  EXPECT_EQ(allocation.sampling, AllocationSampling::kTick);
  EXPECT_EQ(allocation.heap, AllocationHeap::kLarge);
  EXPECT_EQ(allocation.amount, 5'000'000'000u);
  EXPECT_EQ(allocation.type, 0x7000u);
  EXPECT_EQ(allocation.address, 0x12340u);
  EXPECT_EQ(allocation.size, 90'000u);
}

TEST(ParseAllocationTest, ASampleHasNoAmount) {
  const Payload payload = AllocationSampled(2, 0x7000, 0x12340, 64);
  const SampledAllocation allocation = ParseAllocation(kSampled, payload.bytes());
  EXPECT_EQ(allocation.sampling, AllocationSampling::kBytes);
  EXPECT_EQ(allocation.heap, AllocationHeap::kPinned);
  EXPECT_EQ(allocation.amount, 0u);
  EXPECT_EQ(allocation.type, 0x7000u);
  EXPECT_EQ(allocation.address, 0x12340u);
  EXPECT_EQ(allocation.size, 64u);
}

TEST(ParseAllocationTest, WhatIsCutOrOfAnUnknownHeapIsNone) {
  const Payload whole = AllocationSampled(0, 0x7000, 0x12340, 64);
  for (size_t size = 0; size + 8 < whole.bytes().size(); ++size) {
    const std::vector<uint8_t> cut(whole.bytes().begin(),
                                   whole.bytes().begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(ParseAllocation(kSampled, cut).sampling, AllocationSampling::kUnknown) << size;
  }
  const Payload strange = AllocationSampled(3, 0x7000, 0x12340, 64);
  EXPECT_EQ(ParseAllocation(kSampled, strange.bytes()).sampling, AllocationSampling::kUnknown);
}

TEST(CollectionFactsTest, HeapsAddUp) {
  CollectionFacts facts;
  ASSERT_TRUE(facts.ReadStart(GcStart(9, 1, 0, 2).bytes()));
  facts.ReadGlobalHeapHistory(GcGlobalHeapHistory(2, 0x2, 63).bytes());
  facts.ReadPerHeapHistory(GcPerHeapHistory(1000).bytes());
  facts.ReadPerHeapHistory(GcPerHeapHistory(2000).bytes());
  facts.ReadHeapStats(GcHeapStats(500).bytes());
  facts.ReadDynamic(GcCommittedUsage(11).bytes());
  EXPECT_EQ(facts.number, 9u);
  EXPECT_EQ(facts.generation, 1u);
  EXPECT_EQ(facts.type, 2u);
  EXPECT_FALSE(facts.induced());
  EXPECT_EQ(facts.heaps, 2u);
  EXPECT_TRUE(facts.compacting);
  EXPECT_EQ(facts.memory_load_percent, 63u);
  EXPECT_EQ(facts.histories, 2u);
  EXPECT_EQ(facts.generations[3].before, 3600u);
  EXPECT_EQ(facts.generations[3].free_before, 3600u * 2 + 2 * (1 + 2));
  EXPECT_EQ(facts.generations[3].after, 3600u + 2 * 3);
  EXPECT_EQ(facts.generations[3].free_after, 3600u * 2 + 2 * (4 + 5));
  EXPECT_EQ(facts.generations[3].promoted, 531u);
  EXPECT_EQ(facts.generations[4].promoted, 541u);
  EXPECT_EQ(facts.promoted_bytes, 501u + 511 + 521 + 531 + 541);
  EXPECT_EQ(facts.finalizable_promoted, 7u);
  EXPECT_EQ(facts.pinned_objects, 5u);
  EXPECT_EQ(facts.handles, 77u);
  EXPECT_EQ(facts.committed_bytes, 44u);
}

TEST(CollectionFactsTest, WhatIsCommittedAtTheStartIsNotMeant) {
  CollectionFacts facts;
  facts.ReadDynamic(GcCommittedUsage(11).bytes());
  EXPECT_EQ(facts.committed_bytes, 0u);
}

TEST(CollectionFactsTest, AnyBytesAreRead) {
  std::mt19937 random(6);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes(random() % 600);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    CollectionFacts facts;
    facts.ReadStart(bytes);
    facts.ReadHeapStats(bytes);
    facts.ReadPerHeapHistory(bytes);
    facts.ReadGlobalHeapHistory(bytes);
    facts.ReadDynamic(bytes);
    EndedCollection(bytes);
    ParseAllocation(round % 2 == 0 ? kTick : kSampled, bytes);
    EXPECT_LE(facts.histories, 1u);
  }
}

contract::Options With(std::string_view text) {
  contract::Options options;
  EXPECT_EQ(contract::ParseOptions(text, options), "");
  return options;
}

// A process that loads modules all the time gets its sessions after five seconds. One that creates
// event sources would wait for them, and is left alone while it does; but not forever.
TEST(SessionsStartTest, WaitsForEventSourcesLongerThanForModules) {
  constexpr uint64_t kMs = 1'000'000;
  const SessionsStart start{1000 * kMs};
  EXPECT_EQ(start.DueNs(1200 * kMs, 1100 * kMs), 1700 * kMs);
  EXPECT_EQ(start.DueNs(5900 * kMs, 1100 * kMs), 6000 * kMs);
  EXPECT_EQ(start.DueNs(5900 * kMs, 5900 * kMs), 6400 * kMs);
  EXPECT_EQ(start.DueNs(9000 * kMs, 8900 * kMs), 9400 * kMs);
  EXPECT_EQ(start.LatestNs(8900 * kMs), 9400 * kMs);
  EXPECT_EQ(start.DueNs(70'000 * kMs, 70'000 * kMs), 61'000 * kMs);
}

// What all sources together need from a runtime of this version.
class RuntimeEventsTest : public testing::Test {
 protected:
  EventPlan PlanOf(std::string_view text, uint16_t runtime) {
    g_runtime = runtime;
    fake_.Put(&clr::ICorProfilerInfo10::GetRuntimeInformation, &VersionOf);
    const contract::Options options = With(text);
    const Signals signals(fake_.info(), code_gate_, gate_, options, emitter_, budget_, drain_,
                          stacks_, walker_, signal_walker_);
    return signals.runtime_events.plan();
  }

  static clr::HRESULT VersionOf(void*, uint16_t*, clr::COR_PRF_RUNTIME_TYPE*, uint16_t* major,
                                uint16_t*, uint16_t*, uint16_t*, uint32_t, uint32_t*, char16_t*) {
    *major = g_runtime;
    return clr::S_OK;
  }
  static inline uint16_t g_runtime = 0;

  FakeRuntime fake_;
  CodeGate code_gate_;
  ThreadGate gate_{fake_.info()};
  MemoryBudget budget_;
  Waker drain_;
  Emitter emitter_{1, budget_, drain_};
  StackTable stacks_;
  StackWalker walker_{fake_.info()};
  SignalWalker signal_walker_;
};

uint64_t OfRuntime(const EventPlan& plan, EventLevel level) {
  return plan.Keywords(EventProvider::kRuntime, level);
}

TEST_F(RuntimeEventsTest, OnlyWhatHasToBeIsVerbose) {
  EXPECT_TRUE(PlanOf("sources=waits", 10).empty());

  const EventPlan exceptions = PlanOf("sources=exceptions,waits", 10);
  EXPECT_NE(exceptions.Keywords(EventProvider::kRuntimePrivate, EventLevel::kCritical), 0u);
  EXPECT_TRUE(exceptions.Without(EventProvider::kRuntimePrivate, FatalErrors::kKeyword).empty());

  const EventPlan on_10 = PlanOf("sources=locks,gc,allocations", 10);
  EXPECT_EQ(OfRuntime(on_10, EventLevel::kVerbose), Locks::kRuntimeKeywords);
  EXPECT_EQ(OfRuntime(on_10, EventLevel::kInformational),
            CollectionDetails::kKeyword | Compiler::kKeywords | Allocations::kSampledKeyword);
  EXPECT_FALSE(on_10.Has(EventProvider::kTasks));

  // Ticks are verbose; what reports collections has the same keyword and then comes with them.
  const EventPlan on_8 = PlanOf("sources=gc,allocations", 8);
  EXPECT_EQ(OfRuntime(on_8, EventLevel::kVerbose), Allocations::kTickKeyword);
  EXPECT_EQ(OfRuntime(on_8, EventLevel::kInformational), Compiler::kKeywords);

  const EventPlan requests = PlanOf("sources=requests", 9);
  EXPECT_TRUE(requests.Has(EventProvider::kHosting));
  EXPECT_FALSE(requests.Has(EventProvider::kRuntime));

  EXPECT_TRUE(PlanOf("sources=locks;locks.task_waits=on", 9).Has(EventProvider::kTasks));
}

TEST_F(RuntimeEventsTest, OnlyWhoAsksForRoutesGetsThem) {
  const auto wanted = [&](std::string_view text) {
    return PlanOf(text, 10).Has(EventProvider::kMetrics);
  };
  EXPECT_FALSE(wanted(""));
  EXPECT_TRUE(wanted("requests.routes=on"));
  EXPECT_FALSE(wanted("requests.routes=on;sources=-requests"));
}

TEST_F(RuntimeEventsTest, OnlyWhoAsksForDetailsGetsThem) {
  const auto wanted = [&](std::string_view text) {
    const EventPlan plan = PlanOf(text, 10);
    EXPECT_EQ(plan.HasApart(), plan.Has(EventProvider::kDiagnostics));
    return plan.Has(EventProvider::kDiagnostics);
  };
  EXPECT_FALSE(wanted(""));
  EXPECT_TRUE(wanted("requests.details=on"));
  EXPECT_TRUE(wanted("requests.details=texts"));
  EXPECT_FALSE(wanted("requests.details=off"));
  EXPECT_FALSE(wanted("requests.details=on;sources=-requests"));
}

TEST(ExceptionEventsTest, CpuNeedsTheThrows) {
  EventPlan both;
  ExceptionEvents::PlanExceptions(With("sources=exceptions,cpu"), both);
  EXPECT_EQ(OfRuntime(both, EventLevel::kInformational), ExceptionEvents::kKeyword);
  EXPECT_EQ(OfRuntime(both, EventLevel::kErrors), 0u);

  EventPlan cpu;
  ExceptionEvents::PlanExceptions(With("sources=cpu,gc"), cpu);
  EXPECT_EQ(OfRuntime(cpu, EventLevel::kErrors), ExceptionEvents::kKeyword);
  EXPECT_EQ(OfRuntime(cpu, EventLevel::kInformational), 0u);

  EventPlan neither;
  ExceptionEvents::PlanExceptions(With("sources=waits"), neither);
  EXPECT_TRUE(neither.empty());
}

TEST(EventPlanTest, AnEventOfTwoLevelsComesOnce) {
  EventPlan plan;
  plan.Add(EventProvider::kRuntime, EventLevel::kErrors, 0b111);
  plan.Add(EventProvider::kRuntime, EventLevel::kInformational, 0b011);
  plan.Add(EventProvider::kRuntime, EventLevel::kVerbose, 0b001);
  plan.Add(EventProvider::kTasks, EventLevel::kVerbose, 0b010);
  EXPECT_EQ(OfRuntime(plan, EventLevel::kVerbose), 0b001u);
  EXPECT_EQ(OfRuntime(plan, EventLevel::kInformational), 0b010u);
  EXPECT_EQ(OfRuntime(plan, EventLevel::kErrors), 0b100u);
  const EventPlan rest = plan.Without(EventProvider::kRuntime, 0b111);
  EXPECT_FALSE(rest.Has(EventProvider::kRuntime));
  EXPECT_FALSE(rest.empty());
}

using Instrument = wire::RequestDurations::Instrument;

constexpr std::u16string_view kTags = u"http.request.method=GET,http.route=/item/{id}";
constexpr std::u16string_view kQuantiles = u"0.5=0.001;0.95=0.25;0.99=1.5";

Payload Histogram(std::u16string_view meter, std::u16string_view instrument) {
  return Payload()
      .Text(u"SHARED")
      .Text(meter)
      .Text(u"")
      .Text(instrument)
      .Text(u"s")
      .Text(kTags)
      .Text(kQuantiles)
      .Add(int32_t{42})
      .Add(1.25);
}

std::u16string TextOf(std::span<const uint8_t> bytes) {
  std::u16string text(bytes.size() / sizeof(char16_t), u' ');
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(text.data()));
  return text;
}

TEST(MeasuredRequestsTest, AreThoseServedAndThoseMade) {
  const Payload served =
      Histogram(u"Microsoft.AspNetCore.Hosting", u"http.server.request.duration");
  const MeasuredRequests measured = ParseMeasuredRequests(served.bytes());
  EXPECT_EQ(measured.instrument, Instrument::kServer);
  EXPECT_EQ(TextOf(measured.tags), kTags);
  EXPECT_EQ(TextOf(measured.quantiles), kQuantiles);
  EXPECT_EQ(measured.count, 42u);
  EXPECT_EQ(measured.total_s, 1.25);
  const Payload made = Histogram(u"System.Net.Http", u"http.client.request.duration");
  EXPECT_EQ(ParseMeasuredRequests(made.bytes()).instrument, Instrument::kClient);
}

TEST(MeasuredRequestsTest, WhatOthersMeasureIsNone) {
  const Payload other = Histogram(u"Shop", u"http.server.request.duration");
  EXPECT_EQ(ParseMeasuredRequests(other.bytes()).instrument, Instrument::kUnknown);
}

TEST(MeasuredRequestsTest, NoPayloadIsReadBeyondItsEnd) {
  const Payload whole = Histogram(u"System.Net.Http", u"http.client.request.duration");
  for (size_t size = 0; size < whole.bytes().size(); ++size) {
    const std::vector<uint8_t> cut(whole.bytes().begin(),
                                   whole.bytes().begin() + static_cast<ptrdiff_t>(size));
    ParseMeasuredRequests(cut);
  }
  std::mt19937 random(8);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes(random() % 300);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 3);
    EXPECT_EQ(ParseMeasuredRequests(bytes).instrument, Instrument::kUnknown);
  }
}

using Quantiles = std::array<uint64_t, 3>;

TEST(QuantilesTest, AreSecondsAsAnyCultureWritesThem) {
  EXPECT_EQ(ParseQuantiles(kQuantiles), (Quantiles{1'000'000, 250'000'000, 1'500'000'000}));
  EXPECT_EQ(ParseQuantiles(u"0,5=0,001;0,95=0,25;0,99=1,5"),
            (Quantiles{1'000'000, 250'000'000, 1'500'000'000}));
  // The longest form in which a double is written.
  const Quantiles small = ParseQuantiles(u"0.5=8.1249999999999996E-05;0.95=1E-06;0.99=3E+01");
  EXPECT_NEAR(static_cast<double>(small[0]), 81'250, 1);
  EXPECT_NEAR(static_cast<double>(small[1]), 1000, 1);
  EXPECT_NEAR(static_cast<double>(small[2]), 30e9, 10);
}

TEST(QuantilesTest, WhatIsNoNumberIsZero) {
  EXPECT_EQ(ParseQuantiles(u""), Quantiles{});
  EXPECT_EQ(ParseQuantiles(u"0.5=NaN;0.95;0.99=1.2.3"), Quantiles{});
  EXPECT_EQ(ParseQuantiles(u"0.5=-1;;"), Quantiles{});
  EXPECT_EQ(ParseQuantiles(u"0.5=1E;0.95=1E-;0.99=1E-99999999999")[2], 0u);
  // Nothing takes that long.
  EXPECT_EQ(ParseQuantiles(u"0.5=9E99999999999")[0], 1'000'000'000'000'000'000u);
  EXPECT_EQ(ParseQuantiles(std::u16string(400, u'9') + u"=" + std::u16string(400, u'9'))[0],
            1'000'000'000'000'000'000u);
}

TEST(RequestDurationsTest, TheFilterNamesBothInstrumentsAndASessionOfItsOwn) {
  const std::u16string filter = RequestDurations::Filter(17);
  EXPECT_NE(filter.find(u"Metrics=Microsoft.AspNetCore.Hosting\\http.server.request.duration,"
                        u"System.Net.Http\\http.client.request.duration;"),
            std::u16string::npos);
  EXPECT_TRUE(filter.ends_with(u"SharedIdentifier=hindsight-17"));
  EXPECT_NE(filter.find(u";SessionId=SHARED;"), std::u16string::npos);
}

TEST(RequestDurationsTest, OthersThatAreRefusedAreNotUs) {
  const auto refused = [](uint32_t event, std::u16string_view text) {
    return RequestDurations::RefusesUs(event, Payload().Text(text).Text(u"10").bytes());
  };
  EXPECT_TRUE(refused(RequestDurations::kNotShared, u"5e1f"));
  EXPECT_FALSE(refused(RequestDurations::kNotShared, u"SHARED"));  // it is ours that runs
  EXPECT_TRUE(refused(RequestDurations::kOtherSettings, u"hindsight-17"));
  EXPECT_FALSE(refused(RequestDurations::kOtherSettings, u"another-tool"));
  EXPECT_FALSE(RequestDurations::RefusesUs(RequestDurations::kOtherSettings, {}));
}

}  // namespace
}  // namespace hindsight::recorder
