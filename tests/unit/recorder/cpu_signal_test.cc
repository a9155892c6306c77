// The signal of the CPU timers in this very process: real timers, real handlers.
#include "recorder/sources/cpu_signal.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "recorder/sources/cpu_sampler.h"

namespace hindsight::recorder {
namespace {

std::atomic<int> g_first{0}, g_second{0};
struct sigaction g_before_second;

void First(int) { ++g_first; }
// As a library does that hands on what is not its own.
void Second(int signal, siginfo_t* info, void* context) {
  ++g_second;
  if ((g_before_second.sa_flags & SA_SIGINFO) != 0) {
    g_before_second.sa_sigaction(signal, info, context);
  }
}

struct sigaction ActionOf(void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return action;
}

struct sigaction Current() {
  struct sigaction now;
  sigaction(kCpuSignal, nullptr, &now);
  return now;
}

class CpuSignalTest : public testing::Test {
 protected:
  void SetUp() override {
    g_first = g_second = 0;
    const struct sigaction nothing = ActionOf(SIG_DFL);
    sigaction(kCpuSignal, &nothing, nullptr);
  }
  void TearDown() override { CpuSignal::Restore(); }
};

TEST_F(CpuSignalTest, LeavesNothingBehind) {
  ASSERT_TRUE(CpuSignal::Install());
  EXPECT_NE(Current().sa_handler, SIG_DFL);
  raise(kCpuSignal);  // the application's, which ignores it
  CpuSignal::Restore();
  EXPECT_EQ(Current().sa_handler, SIG_DFL);
}

TEST_F(CpuSignalTest, HandsOnToTheHandlerBelow) {
  const struct sigaction first = ActionOf(First);
  sigaction(kCpuSignal, &first, nullptr);
  ASSERT_TRUE(CpuSignal::Install());
  raise(kCpuSignal);
  EXPECT_EQ(g_first, 1);
  CpuSignal::Restore();
  EXPECT_EQ(Current().sa_handler, &First);
}

// A handler installed over ours calls ours, and ours is put over it again: no circle, and each
// handler sees the signal once.
TEST_F(CpuSignalTest, CallsEachHandlerOnceWhereTheyCallEachOther) {
  const struct sigaction first = ActionOf(First);
  sigaction(kCpuSignal, &first, nullptr);
  ASSERT_TRUE(CpuSignal::Install());
  struct sigaction second = {};
  second.sa_sigaction = Second;
  second.sa_flags = SA_SIGINFO;
  sigaction(kCpuSignal, &second, &g_before_second);
  raise(kCpuSignal);
  EXPECT_EQ(g_second, 1);
  EXPECT_EQ(g_first, 1);
  ASSERT_TRUE(CpuSignal::KeepOnTop());
  raise(kCpuSignal);
  EXPECT_EQ(g_second, 2);
  EXPECT_EQ(g_first, 2);

  CpuSignal::Restore();  // theirs is on top, and still calls ours
  raise(kCpuSignal);
  EXPECT_EQ(g_second, 3);
  EXPECT_EQ(g_first, 3);
  ASSERT_TRUE(CpuSignal::Install());
  raise(kCpuSignal);
  EXPECT_EQ(g_second, 4);
  EXPECT_EQ(g_first, 4);
  CpuSignal::Restore();
  sigaction(kCpuSignal, &g_before_second, nullptr);  // as the library goes
}

TEST_F(CpuSignalTest, StaysBelowAHandlerOnTheAlternateStack) {
  const struct sigaction first = ActionOf(First, SA_ONSTACK);
  sigaction(kCpuSignal, &first, nullptr);
  EXPECT_FALSE(CpuSignal::Install());
  EXPECT_EQ(Current().sa_handler, &First);
}

void Burn(uint64_t cpu_ns) {
  const uint64_t end = ThreadCpuNs() + cpu_ns;
  while (ThreadCpuNs() < end) {
  }
}

// Threads that run already, and ones that come, are sampled in proportion to their CPU time; a
// thread that sleeps is not.
TEST_F(CpuSignalTest, SamplesWhatRuns) {
  constexpr uint64_t kRecording = 0xC9;
  constexpr uint64_t kBurnNs = 400'000'000;
  MemoryBudget budget;
  Waker drain;
  ASSERT_TRUE(drain.Open());
  Emitter emitter(kRecording, budget, drain);
  SignalWalker walker;
  walker.Open(budget);
  std::atomic<bool> done{false};
  std::atomic<uint32_t> sleeper_id{0};
  std::thread sleeper([&] {
    sleeper_id = static_cast<uint32_t>(gettid());
    sleeper_id.notify_one();
    done.wait(false);
  });
  sleeper_id.wait(0);
  const auto own_id = static_cast<uint32_t>(gettid());
  std::atomic<uint32_t> second_id{0};
  uint64_t weight = 0, sleeping = 0;
  std::map<uint32_t, uint64_t> deep, shallow_again;  // samples, by thread
  {
    CpuSampler sampler(1000, emitter, budget, drain, walker);
    ASSERT_EQ(sampler.Open([](const std::string& why) { ADD_FAILURE() << why; }), "");
    std::thread runner([&] { sampler.Run(); });
    Burn(kBurnNs);
    std::thread([&] {
      second_id = static_cast<uint32_t>(gettid());
      Burn(kBurnNs);
    }).join();
    ASSERT_TRUE(sampler.Stop(10'000'000'000));
    runner.join();
    CpuSlots::Instance().ForEach(kRecording, [&](CpuSlot& slot) {
      EXPECT_EQ(slot.dropped.Read() + slot.unmapped.Read(), 0u);
      if (!slot.has_ring) return;
      for (; slot.ring.Front() != nullptr; slot.ring.Pop()) {
        const auto& event = *reinterpret_cast<const CpuSampleEvent*>(slot.ring.Front());
        weight += event.weight;
        sleeping += event.header.thread == sleeper_id;
        const uint32_t thread = event.header.thread;
        if (event.frames > 1) ++deep[thread];
        if (event.frames <= 1 && deep.contains(thread)) ++shallow_again[thread];
        ASSERT_EQ(event.header.size(), sizeof(event) + event.frames * sizeof(uintptr_t));
      }
    });
  }
  EXPECT_NEAR(static_cast<double>(weight), 800, 160);  // the second thread is found within 0.1 s
  EXPECT_EQ(sleeping, 0u);
  // The first one of a thread has its place only; so have those taken until its stack is looked up.
  for (const uint32_t thread : {own_id, second_id.load()}) {
    EXPECT_GT(deep[thread], 10u);
    EXPECT_LE(shallow_again[thread] * 10, deep[thread]);
  }
  EXPECT_EQ(Current().sa_handler, SIG_DFL);
  CpuSlots::Instance().Release(kRecording, budget);
  walker.Close(budget);
  done = true;
  done.notify_one();
  sleeper.join();
  drain.Close();
}

}  // namespace
}  // namespace hindsight::recorder
