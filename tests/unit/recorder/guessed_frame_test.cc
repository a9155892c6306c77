// Frames that the runtime's walk leaves out, found by the chain of frame pointers.
#include "recorder/stack/guessed_frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hindsight::recorder {
namespace {

class GuessedFrame : public testing::Test {
 protected:
  uintptr_t At(size_t word) const { return reinterpret_cast<uintptr_t>(&stack_[word]); }
  // A frame record: the saved frame pointer, and the return address.
  void Record(size_t word, uintptr_t saved, uintptr_t ip) {
    stack_[word] = saved;
    stack_[word + 1] = ip;
  }
  std::vector<uintptr_t> Between(const FrameRegisters& inner, const FrameRegisters& outer) const {
    std::vector<uintptr_t> found;
    uintptr_t last_sp = inner.sp;
    GuessFramesBetween(inner, outer, [&](uintptr_t ip, uintptr_t sp) {
      EXPECT_GT(sp, last_sp);
      EXPECT_LE(sp, outer.sp);
      last_sp = sp;
      found.push_back(ip);
    });
    return found;
  }

  static constexpr uintptr_t kInner = 0x1000, kMissing = 0x2000, kOther = 0x3000, kOuter = 0x4000;
  std::array<uintptr_t, 64> stack_{};
  const FrameRegisters outer_{kOuter, At(32), At(40)};
};

TEST_F(GuessedFrame, TheCallersOwnAddressIsNoGuess) {
  Record(8, At(40), kOuter);
  EXPECT_TRUE(Between({kInner, At(0), At(8)}, outer_).empty());
}

TEST_F(GuessedFrame, FramesInBetweenAreFoundFromTheInnermost) {
  Record(8, At(20), kMissing);
  Record(20, At(40), kOuter);
  EXPECT_EQ(Between({kInner, At(0), At(8)}, outer_), std::vector<uintptr_t>({kMissing}));
  Record(20, At(28), kOther);
  Record(28, At(40), kOuter);
  EXPECT_EQ(Between({kInner, At(0), At(8)}, outer_), std::vector<uintptr_t>({kMissing, kOther}));
}

TEST_F(GuessedFrame, NothingIsReadOutsideOfTheTwoFrames) {
  Record(8, At(20), kMissing);
  for (const uintptr_t bp :
       {uintptr_t{0}, uintptr_t{8}, At(8) + 4, At(31), At(32), ~uintptr_t{7}}) {
    EXPECT_TRUE(Between({kInner, At(4), bp}, outer_).empty()) << bp;
  }
  EXPECT_TRUE(Between({}, outer_).empty());
  EXPECT_TRUE(Between({kInner, At(33), At(34)}, outer_).empty());
  const FrameRegisters far{kOuter, At(0) + (1u << 20), 0};
  EXPECT_TRUE(Between({kInner, At(0), At(8)}, far).empty());
}

TEST_F(GuessedFrame, AChainThatGoesBackEnds) {
  Record(8, At(8), kMissing);
  EXPECT_EQ(Between({kInner, At(0), At(8)}, outer_), std::vector<uintptr_t>({kMissing}));
}

}  // namespace
}  // namespace hindsight::recorder
