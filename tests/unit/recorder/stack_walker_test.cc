// Walks by rules over a stack made by hand; the rules are learned from a fake runtime.
#include "recorder/stack/stack_walker.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

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

}  // namespace
}  // namespace hindsight::recorder
