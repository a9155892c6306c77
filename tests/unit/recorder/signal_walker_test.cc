// Walks from real signals, through the test's own code and libc's.
#include "recorder/stack/signal_walker.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "recorder/names/native_names.h"
#include "recorder/stack/sampled_place.h"
#include "signal_walker_code.h"

namespace hindsight::recorder {
namespace {

struct Walked {
  SignalStack stack;
  std::array<uintptr_t, 256> frames;
};

SignalWalker* g_walker;
Walked* g_walked;  // where the next signal writes
thread_local uintptr_t t_stack_high __attribute__((tls_model("initial-exec")));

void OnSignal(int, siginfo_t*, void* context) {
  g_walked->stack = g_walker->Walk(ReadSignalContext(context), t_stack_high, g_walked->frames);
}

uintptr_t OwnStackHigh() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(low) + size;
}

class SignalWalkerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(walker_.Open(budget_));
    walker_.RefreshNativeModules();
    g_walker = &walker_;
    g_walked = &walked_;
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR2, &action, nullptr);
    t_stack_high = OwnStackHigh();
  }
  void TearDown() override {
    signal(SIGUSR2, SIG_IGN);
    walker_.Close(budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    NativeNames natives;
    for (uint32_t i = 0; i < walked_.stack.frames; ++i) {
      NativeFunction function;
      const SampledPlace place = SampledPlace::Of(walked_.frames[i], i);
      natives.Describe(InstructionAt(place.ip, place.kind), function);
      names.push_back(function.name);
    }
    return names;
  }

  // The frames of frameless code in the walk, innermost first.
  std::string FramelessNames() {
    std::string text;
    for (const std::string& name : Names()) {
      if (name.starts_with("frameless_")) text += name.substr(10) + " ";
    }
    return text;
  }

  MemoryBudget budget_;
  SignalWalker walker_;
  Walked walked_ = {};
};

void RaiseHere() { raise(SIGUSR2); }

TEST_F(SignalWalkerTest, WalksThroughCodeWithoutFramePointersToTheRoot) {
  frameless_4(RaiseHere, 1);
  EXPECT_TRUE(walked_.stack.rooted);
  EXPECT_FALSE(walked_.stack.truncated);
  EXPECT_EQ(FramelessNames(), "1 2 3 4 ");
  const std::vector<std::string> names = Names();
  EXPECT_EQ(names.back(), "_start");
  EXPECT_NE(std::ranges::find(names, "main"), names.end());
}

TEST_F(SignalWalkerTest, WalksThroughARealignedStack) {
  frameless_realigned(RaiseHere, 1);
  EXPECT_TRUE(walked_.stack.rooted);
  EXPECT_EQ(FramelessNames(), "1 2 3 4 realigned ");
}

TEST_F(SignalWalkerTest, ReachesTheRootOfAThread) {
  std::thread([] {
    t_stack_high = OwnStackHigh();
    frameless_2(RaiseHere, 1);
  }).join();
  EXPECT_TRUE(walked_.stack.rooted);
  EXPECT_EQ(FramelessNames(), "1 2 ");
}

TEST_F(SignalWalkerTest, WalksThroughCallbacksOfLibc) {
  int values[4] = {3, 1, 2, 0};
  qsort(values, 4, sizeof(int), [](const void* a, const void* b) {
    frameless_1(RaiseHere, 1);
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  EXPECT_TRUE(walked_.stack.rooted);
  const std::vector<std::string> names = Names();
  EXPECT_NE(std::ranges::find(names, "main"), names.end());
}

// ThreadSanitizer runs a handler later than the signal, and shows it another context.
#ifdef __SANITIZE_THREAD__
constexpr bool kSignalsAreLate = true;
#else
constexpr bool kSignalsAreLate = false;
#endif

TEST_F(SignalWalkerTest, WalksThroughASignalThatInterruptedCode) {
  if (kSignalsAreLate) GTEST_SKIP() << "ThreadSanitizer runs handlers late";
  if (getauxval(AT_SYSINFO_EHDR) == 0) {
    GTEST_SKIP() << "no vDSO: an emulator's own code, without tables, returns from signals";
  }
  signal(SIGUSR1, [](int) { frameless_1(RaiseHere, 1); });
  frameless_4([] { raise(SIGUSR1); }, 1);
  signal(SIGUSR1, SIG_DFL);
  EXPECT_TRUE(walked_.stack.rooted);
  const auto is_exact = [&, i = size_t{0}](uintptr_t word) mutable {
    return SampledPlace::Of(word, i++).kind == AddressKind::kExact;
  };
  EXPECT_EQ(std::ranges::count_if(std::span(walked_.frames).first(walked_.stack.frames), is_exact),
            2);
  EXPECT_EQ(FramelessNames(), "1 1 2 3 4 ");
}

TEST_F(SignalWalkerTest, StopsWhereThereIsNoRoom) {
  const uintptr_t high = t_stack_high;
  std::array<uintptr_t, 3> few;
  struct Context {
    SignalWalker& walker;
    std::span<uintptr_t> out;
    SignalStack stack;
  };
  static Context* context;
  Context own{walker_, few, {}};
  context = &own;
  frameless_4(
      [] {
        const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        context->stack = context->walker.Walk(
            {reinterpret_cast<uintptr_t>(&frameless_1) + 1, frame, 0}, t_stack_high, context->out);
      },
      1);
  EXPECT_LE(own.stack.frames, few.size());
  // Nothing above the given end of the stack is read.
  t_stack_high = 0;
  frameless_4(RaiseHere, 1);
  EXPECT_EQ(walked_.stack.frames, 1u);
  EXPECT_FALSE(walked_.stack.rooted);
  t_stack_high = high;
}

// Interrupted anywhere: in prologs, epilogs, the PLT, memcpy, malloc.
std::atomic<uint32_t> g_timer_walks{0}, g_timer_rooted{0};

void OnTimer(int, siginfo_t*, void* context) {
  static std::array<uintptr_t, 256> frames;
  const SignalStack stack = g_walker->Walk(ReadSignalContext(context), t_stack_high, frames);
  ++g_timer_walks;
  if (stack.rooted) ++g_timer_rooted;
}

__attribute__((noinline)) void Work() {
  static volatile long sink;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    sink = sink + frameless_realigned([] {}, i);
    text += std::to_string(i);
  }
  free(malloc(text.size()));
}

TEST_F(SignalWalkerTest, ReachesTheRootFromAnyInstruction) {
  if (kSignalsAreLate) GTEST_SKIP() << "ThreadSanitizer runs handlers late";
  constexpr uint32_t kWalks = 200;
  struct sigaction action = {};
  action.sa_sigaction = OnTimer;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  g_timer_walks = g_timer_rooted = 0;
  const itimerval every{{0, 1000}, {0, 1000}}, never{};
  setitimer(ITIMER_PROF, &every, nullptr);
  while (g_timer_walks < kWalks) Work();
  setitimer(ITIMER_PROF, &never, nullptr);
  signal(SIGPROF, SIG_IGN);
  EXPECT_GE(g_timer_rooted * 100, g_timer_walks * 99) << g_timer_rooted << " of " << g_timer_walks;
}

TEST_F(SignalWalkerTest, RefreshesAtLittleCostAndLetsGo) {
  const uint64_t used = budget_.used();
  for (int i = 0; i < 100; ++i) walker_.RefreshNativeModules();
  EXPECT_EQ(budget_.used(), used);
  void* const library = dlopen("libresolv.so.2", RTLD_NOW);  // part of libc
  ASSERT_NE(library, nullptr) << dlerror();
  walker_.RefreshNativeModules();
  EXPECT_GE(budget_.used(), used);
  dlclose(library);
  walker_.RefreshNativeModules();
  EXPECT_EQ(budget_.used(), used);
}

}  // namespace
}  // namespace hindsight::recorder
