#include "analyzer/model/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analyzer/model/thinned_samples.h"
#include "analyzer/reader/sample_builder.h"
#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

using testing::ModelOf;

// Main -> Run (two places of it) -> native code; Main -> code that is unknown, twice in a row.
constexpr char kHead[] = R"(
  packet { segment_start { monotonic_ns: 1000000 } }
  packet { process { recording_started_monotonic_ns: 1000000 source: "cpu" source: "allocations" } }
  packet { string { id: 1 value: "Shop.Program" } }
  packet { string { id: 2 value: "Main" } }
  packet { string { id: 3 value: "Run" } }
  packet { string { id: 4 value: "/usr/lib/libm.so.6" } }
  packet { string { id: 5 value: "sin" } }
  packet { type { id: 1 name: 1 } }
  packet { module { id: 1 path: 4 is_native: true build_id: "\001\002" } }
  packet { method { id: 1 name: 2 type: 1 } }
  packet { method { id: 2 name: 3 type: 1 } }
  packet { method { id: 3 name: 5 module: 1 is_native: true native_rva: 4096 } }
  packet { frame { id: 1 method: 1 il_offset: 8 } }
  packet { frame { id: 2 method: 2 il_offset: 13 } }
  packet { frame { id: 3 method: 2 il_offset: 21 } }
  packet { frame { id: 4 method: 3 } }
  packet { frame { id: 5 } }
  packet { stack { id: 1 frame: 1 } }
  packet { stack { id: 2 parent: 1 frame: 2 } }
  packet { stack { id: 3 parent: 1 frame: 3 } }
  packet { stack { id: 4 parent: 2 frame: 4 } }
  packet { stack { id: 5 parent: 1 frame: 5 } }
  packet { stack { id: 6 parent: 5 frame: 5 } }
  packet { thread { id: 7 os_id: 77 } })";

std::string With(const std::string& packets) { return kHead + packets; }

TEST(CpuSamples, KeepPlacesAndNativeFrames) {
  const auto model = ModelOf(With(R"(
    packet { time_delta_ns: 5000 cpu_samples { period_ns: 10000000
             time_delta_us: 0 time_delta_us: 12 time_delta_us: -2 time_delta_us: 0
             thread: 7 thread: 7 thread: 8 thread: 0 stack: 4 stack: 3 stack: 6 stack: 0
             weight: 1 weight: 3 weight: 1 weight: 1 unrooted: 2 } })"));
  EXPECT_TRUE(model->facts.cpu_on && model->facts.allocations_on);
  const CpuProfile& cpu = model->samples.cpu;
  EXPECT_EQ(cpu.period_ns, 10'000'000u);
  EXPECT_EQ(cpu.count, 4u);
  EXPECT_EQ(cpu.unrooted, 1u);
  EXPECT_EQ(cpu.cpu_ns, 60'000'000u);
  ASSERT_EQ(cpu.samples.size(), 4u);
  EXPECT_EQ(cpu.samples[0].at_ns, 5000);
  EXPECT_EQ(cpu.samples[1].at_ns, 17'000);
  EXPECT_EQ(cpu.samples[1].cpu_ns, 30'000'000u);
  EXPECT_EQ(cpu.samples[2].at_ns, 15'000);
  EXPECT_TRUE(cpu.samples[2].unrooted);
  EXPECT_EQ(model->threads[cpu.samples[0].thread].os_id, 77u);
  EXPECT_EQ(cpu.samples[3].call, 0u);

  const CallTree& calls = model->samples.calls;
  const auto path = calls.Path(cpu.samples[0].call);
  ASSERT_EQ(path.size(), 3u);
  const Method& sin = model->dictionaries.method(calls.node(path[0]).method);
  EXPECT_TRUE(sin.is_native);
  EXPECT_EQ(model->dictionaries.String(sin.name), "sin");
  EXPECT_EQ(calls.node(path[1]).il_offset, 12);
  EXPECT_EQ(calls.node(path[2]).il_offset, 7);
  // The other place in Run is a separate node under the same caller.
  const CallNode& other = calls.node(cpu.samples[1].call);
  EXPECT_EQ(other.il_offset, 20);
  EXPECT_EQ(other.parent, path[2]);
  // Frames about which nothing is known are one.
  EXPECT_EQ(calls.Path(cpu.samples[2].call).size(), 2u);
}

TEST(CpuSamples, WithColumnsThatDoNotFitAreRefused) {
  for (const char* columns : {"time_delta_us: 0 thread: 7 thread: 7 stack: 1",
                              "time_delta_us: 0 thread: 7 stack: 1 weight: 1 weight: 1",
                              "time_delta_us: 0 thread: 7 stack: 1 unrooted: 1",
                              "time_delta_us: 0 time_delta_us: 0 thread: 7 thread: 7 stack: 1 "
                              "stack: 1 unrooted: 1 unrooted: 0",
                              "time_delta_us: 0 thread: 7 stack: 16777217"}) {
    EXPECT_THROW(ModelOf(With(std::string("packet { cpu_samples { ") + columns + " } }")),
                 std::runtime_error)
        << columns;
  }
}

TEST(CpuSamples, OfAbsurdWeightStayFinite) {
  const auto model = ModelOf(With(R"(
    packet { cpu_samples { period_ns: 18446744073709551615 time_delta_us: 2147483647
             time_delta_us: 2147483647 thread: 7 thread: 7 stack: 1 stack: 1
             weight: 4294967295 weight: 0 } })"));
  EXPECT_EQ(model->samples.cpu.samples[0].cpu_ns, uint64_t{1} << 40);
  EXPECT_EQ(model->samples.cpu.samples[1].cpu_ns, 0u);
}

TEST(StackPaths, ThatFormACycleEnd) {
  const auto model = ModelOf(With(R"(
    packet { stack { id: 1 parent: 4 frame: 1 } }
    packet { cpu_samples { period_ns: 1 time_delta_us: 0 thread: 7 stack: 4 } })"));
  EXPECT_LE(model->samples.calls.Path(model->samples.cpu.samples[0].call).size(), 2048u);
}

TEST(AllocationSamples, StandForWhatWasNotSampled) {
  const auto model = ModelOf(With(R"(
    packet { allocation_samples { sampling: BYTES mean_bytes: 100000 time_delta_us: 0
             time_delta_us: 5 thread: 7 thread: 7 stack: 1 stack: 3 type: 1 type: 0
             size: 100 size: 10000000 heap: SMALL heap: LARGE } })"));
  const AllocationProfile& allocations = model->samples.allocations;
  EXPECT_EQ(allocations.sampling, AllocationProfile::Sampling::kBytes);
  EXPECT_EQ(allocations.mean_bytes, 100'000u);
  ASSERT_EQ(allocations.samples.size(), 2u);
  EXPECT_NEAR(allocations.samples[0].objects, 1000.5, 0.1);
  EXPECT_NEAR(allocations.samples[0].bytes, 100'050, 10);
  EXPECT_EQ(allocations.samples[1].heap, AllocationHeap::kLarge);
  EXPECT_NEAR(allocations.samples[1].objects, 1, 1e-9);
  EXPECT_NEAR(allocations.bytes, 100'050 + 10'000'000, 20);
}

TEST(AllocationSamples, OfTicksStandForTheirAmounts) {
  const auto model = ModelOf(With(R"(
    packet { allocation_samples { sampling: TICK time_delta_us: 0 time_delta_us: 0 thread: 7
             thread: 7 stack: 1 stack: 1 type: 1 type: 1 size: 50 size: 0 amount: 100000
             amount: 120000 } })"));
  const AllocationProfile& allocations = model->samples.allocations;
  EXPECT_EQ(allocations.mean_bytes, 110'000u);
  EXPECT_EQ(allocations.samples[0].bytes, 100'000);
  EXPECT_EQ(allocations.samples[0].objects, 2000);
  EXPECT_EQ(allocations.samples[1].objects, 1);
  EXPECT_EQ(allocations.samples[1].heap, AllocationHeap::kSmall);
}

TEST(AllocationSamples, HaveTheProbabilityThatTheRuntimeDrawsThemWith) {
  EXPECT_EQ(ObjectsPerSample(1, 1), 1);
  EXPECT_NEAR(ObjectsPerSample(1, 100), 100, 1e-9);
  EXPECT_NEAR(ObjectsPerSample(200, 100), 1 / (1 - std::pow(0.99, 200)), 1e-9);
  EXPECT_EQ(ObjectsPerSample(0, 100), 1);
  EXPECT_EQ(ObjectsPerSample(UINT64_MAX, UINT64_MAX / 2 * 2) > 1, true);
}

TEST(JitSamples, KeepTheFirstAndTheLast) {
  std::string packets;
  for (size_t i = 1; i <= Samples::kMaxJitStates + 3; ++i) {
    packets += "packet { time_delta_ns: 1000 jit_sample { methods: " + std::to_string(i) +
               " tier: 1 tier: 2 } }";
  }
  const auto model = ModelOf(With(packets));
  ASSERT_LE(model->samples.jit.size(), Samples::kMaxJitStates);
  EXPECT_EQ(model->samples.jit.front().methods, 1u);
  EXPECT_EQ(model->samples.jit.back().methods, Samples::kMaxJitStates + 3);
  EXPECT_EQ(model->samples.jit.back().tiers, (std::vector<uint64_t>{1, 2}));
}

TEST(ThinnedSamples, KeepTheirTotalsAndTheirShares) {
  PackedRows<CpuSample> samples;
  ThinnedSamples<CpuSample> thinned(samples, 10'000);
  for (int i = 0; i < 200'000; ++i) {
    CpuSample sample;
    sample.thread = i % 2;  // a pattern that taking every second one would miss
    sample.cpu_ns = 10;
    thinned.Add(sample);
  }
  EXPECT_LE(samples.size(), 10'000u);
  double total = 0, odd = 0;
  for (const CpuSample& sample : samples) {
    total += static_cast<double>(sample.cpu_ns);
    if (sample.thread == 1) odd += static_cast<double>(sample.cpu_ns);
  }
  EXPECT_NEAR(total, 2e6, 2e6 * 0.05);
  EXPECT_NEAR(odd / total, 0.5, 0.05);
}

}  // namespace
}  // namespace hindsight::analyzer
