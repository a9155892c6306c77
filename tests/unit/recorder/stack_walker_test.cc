// Walks by rules over a stack made by hand; the rules are learned from a fake runtime.
#include "recorder/stack/stack_walker.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kRecording = 0x57AC;
constexpr uintptr_t kInner = 0x10'0000, kMiddle = 0x20'0000, kOuter = 0x30'0000;

class StackWalkerTest : public testing::Test {
 protected:
  void SetUp() override {
    track_ = ThreadTracks::Instance().Current(kRecording, budget_);
    ASSERT_NE(track_, nullptr);
    track_->stack_low = reinterpret_cast<uintptr_t>(words_.data());
    track_->stack_high = track_->stack_low + sizeof(words_);
    runtime_.stopped = true;  // it walks the calling thread
  }
  void TearDown() override { ThreadTracks::Instance().Release(kRecording, budget_); }

  uintptr_t& Word(size_t word) { return words_[kBelow + word]; }
  uintptr_t At(size_t word) { return reinterpret_cast<uintptr_t>(words_.data() + kBelow + word); }
  // A frame of the chain: saved bp, return address.
  void Frame(size_t word, uintptr_t bp, uintptr_t ip) {
    Word(word) = bp;
    Word(word + 1) = ip;
  }

  MemoryBudget budget_;
  FakeRuntime runtime_;
  std::unique_ptr<StackWalker> walker_ = std::make_unique<StackWalker>(runtime_.info());
  ThreadTrack* track_ = nullptr;
  static constexpr size_t kBelow = 8192;  // room for the runtime's walk
  std::array<uintptr_t, kBelow + 64> words_{};
};

// In native code, bp may contain anything. What it points to is read only if it is on the stack.
TEST_F(StackWalkerTest, ReadsNothingThatABadFramePointerPointsTo) {
  Frame(0, At(8), kInner);
  Frame(8, At(16), kMiddle);
  Frame(16, 0, kOuter);
  runtime_.threads[0].frames = {
      {1, kInner, At(2), At(8)}, {2, kMiddle, At(10), At(16)}, {3, kOuter, At(18), 0}};
  const WalkedStack first = walker_->Walk(*track_, At(0));
  ASSERT_EQ(first.frames.size(), 3u);
  const WalkedStack learned = walker_->Walk(*track_, At(0));
  ASSERT_EQ(learned.frames.size(), 3u);
  ASSERT_EQ(track_->stacks_fast.Read(), 1u) << "the rules are learned";

  for (const uintptr_t bp :
       {~uintptr_t{7}, ~uintptr_t{15}, ~uintptr_t{23}, uintptr_t{0}, uintptr_t{8}, At(64), At(63),
        At(62) + 1, At(1), track_->stack_low - 16}) {
    Word(8) = bp;
    track_->root_sp = 0;  // the runtime's walk, which has to help, finds it again
    walker_->Walk(*track_, At(0));
  }
  EXPECT_EQ(track_->stacks_fast.Read(), 1u);
}

// The runtime's walk needs much stack. A thread that has little left, such as one with 16 KiB, or
// deep in a recursion, is walked by rules or not at all: the walk must not be what overflows its
// stack.
TEST_F(StackWalkerTest, WalksByTheRuntimeOnlyWhereThereIsRoomForIt) {
  Frame(0, At(8), kInner);
  Frame(8, At(16), kMiddle);
  Frame(16, 0, kOuter);
  runtime_.threads[0].frames = {
      {1, kInner, At(2), At(8)}, {2, kMiddle, At(10), At(16)}, {3, kOuter, At(18), 0}};
  const uintptr_t low = track_->stack_low;
  track_->stack_low = At(0) - (16u << 10);
  EXPECT_EQ(walker_->Walk(*track_, At(0)).frames.size(), 0u);
  EXPECT_EQ(track_->stacks_lost.Read(), 1u);
  EXPECT_EQ(runtime_.walks[0], 0);
  track_->stack_low = low;
  EXPECT_EQ(walker_->Walk(*track_, At(0)).frames.size(), 3u);
  EXPECT_EQ(runtime_.walks[0], 1);
  track_->stack_low = At(0) - (16u << 10);
  EXPECT_EQ(walker_->Walk(*track_, At(0)).frames.size(), 3u);  // by the rules
  EXPECT_EQ(runtime_.walks[0], 1);
  EXPECT_EQ(track_->stacks_lost.Read(), 1u);
}

// Where code is new, its callers are mostly known: the runtime walks only up to the first of these.
class KnownCallersTest : public StackWalkerTest {
 protected:
  static constexpr uintptr_t kNew = 0x40'0000;
  static constexpr clr::FunctionID kMethodOfOuter = 3;

  void SetUp() override {
    StackWalkerTest::SetUp();
    Frame(0, At(8), kInner);
    Frame(8, At(16), kMiddle);
    Frame(16, 0, kOuter);
    runtime_.threads[0].frames = Frames(At(2));
    ASSERT_EQ(walker_->Walk(*track_, At(0)).frames.size(), 3u);
    // From now on, `kNew` is called by `kInner`.
    Frame(0, At(4), kNew);
    Frame(4, At(8), kInner);
  }

  std::vector<FakeRuntime::Frame> Frames(uintptr_t inner_sp) {
    return {{1, kInner, inner_sp, At(8)},
            {2, kMiddle, At(10), At(16)},
            {kMethodOfOuter, kOuter, At(18), 0}};
  }
  std::vector<uintptr_t> Walk() {
    const auto frames = walker_->Walk(*track_, At(0)).frames;
    return {frames.begin(), frames.end()};
  }

  const std::vector<uintptr_t> outer_ = {kInner, kMiddle, kOuter};
};

TEST_F(KnownCallersTest, AreNotWalkedByTheRuntime) {
  runtime_.threads[0].frames = {{4, kNew, At(2), At(4)},
                                {1, kInner, At(6), At(8)},
                                {5, 0xBAD, At(10), At(16)}};  // never asked for
  const std::vector<uintptr_t> expected = {kNew, kInner, kMiddle, kOuter};
  EXPECT_EQ(Walk(), expected);
  EXPECT_EQ(track_->stacks_fast.Read(), 0u);
  EXPECT_EQ(Walk(), expected);
  EXPECT_EQ(track_->stacks_fast.Read(), 1u) << "the new code's rule is learned";
}

TEST_F(KnownCallersTest, BehindAFrameWithoutRuleAreTriedAgainAboveIt) {
  constexpr uintptr_t kUnknown = 0x50'0000;
  Frame(4, At(8), kUnknown);  // instead of kInner
  runtime_.threads[0].frames = {{4, kNew, At(2), At(4)},
                                {5, kUnknown, At(6), At(8)},
                                {2, kMiddle, At(10), At(16)},
                                {6, 0xBAD, At(18), 0}};
  const std::vector<uintptr_t> expected = {kNew, kUnknown, kMiddle, kOuter};
  EXPECT_EQ(Walk(), expected);
  EXPECT_EQ(Walk(), expected);
  EXPECT_EQ(track_->stacks_fast.Read(), 1u);
}

// Managed code that the runtime's walk does not show is the runtime's own, or a handler of a method
// further out. A walk that ended before that method cannot tell: the next one is whole.
TEST_F(KnownCallersTest, AreWalkedOnceMoreToTellAHandlerFromTheRuntimesOwnCode) {
  static clr::FunctionID function;
  runtime_.Put(
      &clr::ICorProfilerInfo10::GetFunctionFromIP,
      +[](void*, const uint8_t* ip, clr::FunctionID* found) {
        *found = function;
        return ip == reinterpret_cast<const uint8_t*>(kNew) ? clr::S_OK : clr::E_FAIL;
      });
  runtime_.threads[0].frames = Frames(At(6));
  function = kMethodOfOuter;
  for (int walk = 0; walk < 4; ++walk) EXPECT_EQ(Walk(), outer_);
  EXPECT_EQ(track_->stacks_fast.Read(), 0u) << "only the runtime knows where a handler's walk goes";

  walker_->Forget();
  function = 99;  // of no frame
  for (int walk = 0; walk < 2; ++walk) EXPECT_EQ(Walk(), outer_);
  EXPECT_EQ(track_->stacks_fast.Read(), 1u);
}

}  // namespace
}  // namespace hindsight::recorder
