// CPU time and waiting in callbacks, against the thread's own clock. Nothing here depends on how
// busy the machine is: it compares CPU time, and waits that are far longer.
#include "recorder/stream/callback_cost.h"

#include <gtest/gtest.h>
#include <time.h>

#include <thread>

namespace {

using hindsight::recorder::CallbackCost;
using hindsight::recorder::CallbackMeter;
using hindsight::recorder::MonotonicNs;
using hindsight::recorder::ThreadCpuNs;

constexpr uint64_t kMs = 1'000'000;

void Wait(uint64_t ns) {
  const uint64_t until = MonotonicNs() + ns;
  const timespec pause = {0, static_cast<long>(ns)};
  while (MonotonicNs() < until) nanosleep(&pause, nullptr);
}

void Work(uint64_t ns) {
  const uint64_t until = ThreadCpuNs() + ns;
  while (ThreadCpuNs() < until) continue;
}

template <typename Body>
void Callback(CallbackMeter& meter, Body body) {
  const CallbackCost cost(meter, MonotonicNs());
  body();
}

// Short callbacks, so that the thread's clock has just been read.
void Burst(CallbackMeter& meter) {
  for (int i = 0; i < 100; ++i) Callback(meter, [] {});
}

uint64_t Waited(const CallbackMeter& meter) { return meter.wall_ns.Read() - meter.cpu_ns.Read(); }

TEST(CallbackCost, TheFirstIsMeasured) {
  CallbackMeter meter;
  Callback(meter, [] { Wait(20 * kMs); });
  EXPECT_EQ(meter.callbacks.Read(), 1u);
  EXPECT_EQ(meter.measured.Read(), 1u);
  EXPECT_GE(meter.wall_ns.Read(), 20 * kMs);
  EXPECT_GT(meter.cpu_ns.Read(), 0u);
  EXPECT_GE(Waited(meter), 19 * kMs);
}

TEST(CallbackCost, RareOnesAreAllMeasured) {
  CallbackMeter meter;
  for (int i = 0; i < 5; ++i) {
    Callback(meter, [] { Work(kMs / 10); });
    Wait(CallbackCost::kReadEveryNs);
  }
  EXPECT_EQ(meter.measured.Read(), 5u);
  EXPECT_GE(meter.cpu_ns.Read(), 5 * kMs / 10);
}

TEST(CallbackCost, FrequentOnesReadTheThreadsClockSeldom) {
  CallbackMeter meter;
  const uint64_t started = MonotonicNs();
  for (int i = 0; i < 100'000; ++i) Callback(meter, [] {});
  const uint64_t took = MonotonicNs() - started;
  EXPECT_EQ(meter.callbacks.Read(), 100'000u);
  // Once each kReadEveryNs, and once more after each that was interrupted: those are long, so there
  // cannot be more of them than fit.
  EXPECT_LE(meter.measured.Read(),
            2 + took / CallbackCost::kReadEveryNs + took / CallbackCost::kShortNs);
  EXPECT_LE(meter.cpu_ns.Read(), meter.wall_ns.Read());
}

// A thread that loses its processor in the middle of a storm.
TEST(CallbackCost, AWaitInAStormIsNoCpuTime) {
  CallbackMeter meter;
  const uint64_t cpu_started = ThreadCpuNs();
  for (int i = 0; i < 5; ++i) {
    Burst(meter);
    Callback(meter, [] { Wait(20 * kMs); });
  }
  const uint64_t cpu = ThreadCpuNs() - cpu_started;
  EXPECT_GE(meter.wall_ns.Read(), 100 * kMs);
  EXPECT_LE(meter.cpu_ns.Read(), cpu + 5 * CallbackCost::kShortNs);
  EXPECT_GE(Waited(meter), 100 * kMs - cpu - 5 * CallbackCost::kShortNs);
}

// Except for time that this thread waited for a processor, which may be taken for a wait in the
// callback.
TEST(CallbackCost, WorkInAStormIsCpuTime) {
  CallbackMeter meter;
  const uint64_t started = MonotonicNs(), cpu_started = ThreadCpuNs();
  for (int i = 0; i < 5; ++i) {
    Burst(meter);
    Callback(meter, [] { Work(5 * kMs); });
  }
  const uint64_t cpu = ThreadCpuNs() - cpu_started;
  const uint64_t waited = MonotonicNs() - started - cpu;
  EXPECT_GE(meter.cpu_ns.Read() + waited + CallbackCost::kShortNs, 25 * kMs);
}

TEST(CallbackCost, TheOneAfterALongOneIsMeasured) {
  CallbackMeter meter;
  Burst(meter);
  Callback(meter, [] { Wait(kMs); });
  const uint64_t before = meter.measured.Read();
  Callback(meter, [] {});
  EXPECT_EQ(meter.measured.Read(), before + 1);
}

}  // namespace
