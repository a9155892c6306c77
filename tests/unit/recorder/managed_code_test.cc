// Code as the JIT generates it, learned from a fake runtime, and run until a signal comes.
#include "recorder/stack/managed_code.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "fake_runtime.h"
#include "machine_code.h"
#include "recorder/names/call_instruction.h"
#include "recorder/names/code.h"
#include "recorder/stack/sampled_place.h"
#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {
namespace {

SignalWalker* g_walker;
uintptr_t g_stack_high;
SignalStack g_stack;
std::array<uintptr_t, 64> g_frames;

void OnTrap(int, siginfo_t*, void* context) {
  g_stack = g_walker->Walk(ReadSignalContext(context), g_stack_high, g_frames);
  SkipTrap(context);
}

// Where the call in `code` ends.
size_t CallEnd(std::span<const uint8_t> code) {
  size_t end = 0;
  while (!EndsWithCall(code.first(end))) ++end;
  return end;
}

class ManagedCodeTest : public testing::Test {
 protected:
  void SetUp() override {
    memory_ = static_cast<uint8_t*>(
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    leaf_ = Put(kLeaf);
    frameless_ = Put(kFrameless);
    framed_ = Put(kFramed);
    ASSERT_EQ(mprotect(memory_, kSize, PROT_READ | PROT_EXEC), 0);

    ASSERT_TRUE(walker_.Open(budget_));
    walker_.RefreshNativeModules();
    g_walker = &walker_;
    struct sigaction action = {};
    action.sa_sigaction = OnTrap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, nullptr);
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    g_stack_high = reinterpret_cast<uintptr_t>(low) + size;
  }
  void TearDown() override {
    signal(SIGTRAP, SIG_DFL);
    walker_.Close(budget_);
    munmap(memory_, kSize);
  }

  uintptr_t Put(std::span<const uint8_t> code) {
    const auto start = reinterpret_cast<uintptr_t>(memory_) + used_;
    std::memcpy(memory_ + used_, code.data(), code.size());
    runtime_.bodies[start] = code.size();
    used_ += 64;
    return start;
  }

  // framed -> frameless -> leaf, where the signal comes.
  void Run() {
    using Call = void (*)(uintptr_t, uintptr_t, uintptr_t);
    reinterpret_cast<Call>(framed_)(frameless_, leaf_, 0);
  }
  void Learn() {
    walker_.Learn(runtime_.info(), gate_, kForEver, std::span(g_frames).first(g_stack.frames));
  }

  // The bodies that the walk came through, innermost first.
  std::vector<uintptr_t> Bodies() const {
    std::vector<uintptr_t> bodies;
    for (uint32_t i = 0; i < g_stack.frames; ++i) {
      for (const auto& [start, size] : runtime_.bodies) {
        const uintptr_t ip = SampledPlace::Of(g_frames[i], i).ip;
        if (ip >= start && ip - start <= size) bodies.push_back(start);
      }
    }
    return bodies;
  }

  static constexpr size_t kSize = 4096;
  uint8_t* memory_ = nullptr;
  size_t used_ = 0;
  uintptr_t leaf_ = 0, frameless_ = 0, framed_ = 0;
  FakeRuntime runtime_;
  CodeGate gate_;
  MemoryBudget budget_;
  SignalWalker walker_;
};

TEST_F(ManagedCodeTest, IsWalkedOnceItIsKnown) {
  // Each walk shows the next body that is unknown; the chain loses callers until then.
  for (int i = 0; i < 4; ++i) {
    Run();
    Learn();
  }
  Run();
  EXPECT_TRUE(g_stack.rooted);
  EXPECT_EQ(Bodies(), (std::vector<uintptr_t>{leaf_, frameless_, framed_}));
  const int questions = runtime_.questions;
  Learn();
  EXPECT_EQ(runtime_.questions, questions);
}

TEST_F(ManagedCodeTest, IsLearnedAgainWhenItWasForgotten) {
  for (int i = 0; i < 4; ++i) {
    Run();
    Learn();
  }
  const int questions = runtime_.questions;
  walker_.Forget();
  for (int i = 0; i < 4; ++i) {
    Run();
    Learn();
  }
  Run();
  EXPECT_GT(runtime_.questions, questions);
  EXPECT_EQ(Bodies(), (std::vector<uintptr_t>{leaf_, frameless_, framed_}));
}

TEST_F(ManagedCodeTest, AMethodOfItsOwnIsLearnedAgain) {
  for (int i = 0; i < 4; ++i) {
    Run();
    Learn();
  }
  int questions = runtime_.questions;
  walker_.Forget(CodeRegion{frameless_, static_cast<uint32_t>(runtime_.bodies[frameless_])});
  for (int i = 0; i < 3; ++i) Learn();  // the same frames as before
  EXPECT_GT(runtime_.questions, questions);
  questions = runtime_.questions;
  Learn();
  EXPECT_EQ(runtime_.questions, questions);
  Run();
  EXPECT_EQ(Bodies(), (std::vector<uintptr_t>{leaf_, frameless_, framed_}));
}

// A walk by the chain may take a word for a return address that no call has left there. The runtime
// must not be asked about code that has not run.
TEST_F(ManagedCodeTest, OnlyReturnAddressesAreAskedAbout) {
  walker_.RefreshNativeModules();
  const uintptr_t behind_call = frameless_ + CallEnd(kFrameless);
  std::vector<uintptr_t> words = {leaf_,       framed_, behind_call,
                                  framed_ + 1, 0x1000,  SampledPlace::Word(framed_, true, 5)};
  const auto frames = walker_.Learn(runtime_.info(), gate_, kForEver, words);
  EXPECT_EQ(std::vector(frames.begin(), frames.end()),
            (std::vector<uintptr_t>{leaf_, behind_call, SampledPlace::Word(framed_, true, 5)}));
  EXPECT_EQ(runtime_.asked, (std::vector<uintptr_t>{leaf_, behind_call - 1, framed_}));
}

// The innermost frame of a stack may be an instruction. Where it is its method's first one, what is
// before it may be code that has not run.
TEST_F(ManagedCodeTest, WhatWasInterruptedIsAskedAboutByItself) {
  const auto hold = gate_.Enter(kForEver);
  ASSERT_TRUE(hold);
  const uintptr_t behind_call = framed_ + CallEnd(kFramed);
  CodeDescription code;
  for (const uintptr_t ip : {framed_, framed_ + 1, behind_call}) {
    EXPECT_EQ(FindCode(*hold, runtime_.info(), ip, AddressKind::kReturn, code), CodeFound::kFound);
    EXPECT_EQ(code.NativeOffset(ip, AddressKind::kReturn), ip - framed_);
  }
  EXPECT_EQ(runtime_.asked, (std::vector<uintptr_t>{framed_, framed_ + 1, behind_call - 1}));
}

// The JIT may place code where a library was.
TEST_F(ManagedCodeTest, IsLookedForWhereALibraryWasUnloaded) {
  void* const library = dlopen("libresolv.so.2", RTLD_NOW);  // part of libc
  ASSERT_NE(library, nullptr) << dlerror();
  const auto place = reinterpret_cast<uintptr_t>(dlsym(library, "ns_sprintrr"));
  ASSERT_NE(place, 0u);
  const auto learn = [&] {
    uintptr_t word = place;
    walker_.Learn(runtime_.info(), gate_, kForEver, {&word, 1});
  };
  walker_.RefreshNativeModules();
  learn();
  EXPECT_EQ(runtime_.questions, 0);
  dlclose(library);
  walker_.RefreshNativeModules();
  learn();
  EXPECT_GT(runtime_.questions, 0);
}

class PublishedCodeTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(code_.Open(budget_)); }
  void TearDown() override { code_.Close(budget_); }
  void Learn(uintptr_t ip, uint64_t as_of_ns = kForEver) {
    code_.Learn(runtime_.info(), gate_, as_of_ns, ip);
  }

  static constexpr std::array<uint8_t, 256> kCode = {0x50, 0xc3};
  const uintptr_t first_ = reinterpret_cast<uintptr_t>(kCode.data());
  FakeRuntime runtime_;
  MemoryBudget budget_;
  Walks walks_;
  CodeGate gate_;
  ManagedCode code_{walks_};
};

TEST_F(PublishedCodeTest, IsPublishedWhenNoWalkIsInFlight) {
  for (uintptr_t i = 0; i < 100; ++i) runtime_.bodies[first_ + i] = 1;
  for (uintptr_t i = 0; i < 100; ++i) {
    const Walks::InFlight other(walks_);  // publishing waits for it
    Learn(first_ + i);
    code_.Publish();
  }
  Learn(first_);
  for (int i = 0; i < 3; ++i) code_.Publish();
  EXPECT_TRUE(code_.Find(first_).known);
  EXPECT_FALSE(code_.Find(first_ + 100).known);
  code_.Close(budget_);
  EXPECT_EQ(budget_.used(), 0u);
}

// Also while a table is being built: what the unload removes must not come back with it. Callbacks
// report unloaded code where nothing may wait: with no free slot, or with no thread that takes
// anything, they return at once.
TEST(ForgottenRegions, WhatFindsNoPlaceIsTurnedAwayAtOnce) {
  const auto regions = std::make_unique<ForgottenRegions>();
  uintptr_t added = 0;
  while (regions->Add({added + 1, 1})) ASSERT_LE(++added, 1024u);
  EXPECT_EQ(added, 1024u);
  uintptr_t taken = 0, sum = 0;
  EXPECT_TRUE(regions->TakeAll([&](const CodeRegion& region) {
    ++taken;
    sum += region.start;
  }));
  EXPECT_EQ(taken, added);
  EXPECT_EQ(sum, added * (added + 1) / 2);
  EXPECT_FALSE(regions->TakeAll([](const CodeRegion&) {}));
  EXPECT_TRUE(regions->Add({1, 1}));
}

TEST_F(PublishedCodeTest, ForgetsOneMethodAlone) {
  for (uintptr_t i = 0; i < 4; ++i) {
    runtime_.bodies[first_ + i * 64] = 64;
    Learn(first_ + i * 64);
  }
  code_.Publish();
  const auto is_known = [&](uintptr_t i) { return code_.Find(first_ + i * 64 + 5).known; };
  EXPECT_TRUE(is_known(0) && is_known(1) && is_known(2) && is_known(3));

  code_.Forget(CodeRegion{first_ + 64, 64});
  EXPECT_FALSE(is_known(1));  // at once
  EXPECT_TRUE(is_known(0) && is_known(2) && is_known(3));
  EXPECT_TRUE(code_.StartAnewIfForgotten());
  EXPECT_FALSE(code_.StartAnewIfForgotten());

  const int questions = runtime_.questions;
  Learn(first_ + 2 * 64);
  EXPECT_EQ(runtime_.questions, questions);  // the others need not be learned again
  Learn(first_ + 64);
  code_.Forget(CodeRegion{first_ + 64, 64});  // before it is published
  for (int i = 0; i < 3; ++i) code_.Publish();
  code_.StartAnewIfForgotten();
  EXPECT_FALSE(is_known(1));
  Learn(first_ + 64);
  for (int i = 0; i < 3; ++i) code_.Publish();
  EXPECT_TRUE(is_known(0) && is_known(1) && is_known(2) && is_known(3));
}

// A callback may come between any two steps of the drain thread: what was forgotten while a table
// was made is reported as well, or steps through the old code would stay in the cache.
TEST_F(PublishedCodeTest, ReportsWhatWasForgottenWhileATableWasMade) {
  runtime_.bodies[first_] = runtime_.bodies[first_ + 64] = 64;
  Learn(first_);
  code_.Publish();
  EXPECT_FALSE(code_.StartAnewIfForgotten());
  Learn(first_ + 64);
  code_.Forget(CodeRegion{first_, 64});
  code_.Publish();
  EXPECT_FALSE(code_.Find(first_).known);
  EXPECT_TRUE(code_.StartAnewIfForgotten());
  EXPECT_FALSE(code_.StartAnewIfForgotten());
}

// A sample from before an unload may hold addresses that mean something else by now.
TEST_F(PublishedCodeTest, LearnsNothingFromBeforeAnUnload) {
  runtime_.bodies[first_] = 64;
  gate_.AssemblyUnloading(20);
  Learn(first_, 10);
  EXPECT_EQ(runtime_.questions, 0);
  Learn(first_, 30);
  code_.Publish();
  EXPECT_TRUE(code_.Find(first_).known);
}

TEST(ManagedCode, DoesWithoutMemory) {
  MemoryBudget budget;
  budget.SetLimit(1);
  FakeRuntime runtime;
  Walks walks;
  CodeGate gate;
  ManagedCode code(walks);
  EXPECT_FALSE(code.Open(budget));
  code.Learn(runtime.info(), gate, kForEver, 0x1000);
  code.Publish();
  EXPECT_FALSE(code.Find(0x1000).known);
  code.Close(budget);
}

}  // namespace
}  // namespace hindsight::recorder
