// Call frame information as compilers write it for arm64.
#include <gtest/gtest.h>

#include <vector>

#include "recorder/stack/call_frame_program.h"
#include "recorder/stack/unwind_step_arm64.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;
using Bytes = std::vector<uint8_t>;

// CFA = sp; code in words of 4 bytes, data in words of 8 bytes downwards.
const Bytes kInitial = {0x0c, 31, 0};

std::vector<UnwindRow> RowsOf(const Bytes& program, bool signal_frame = false) {
  CallFrameRules rules;
  rules.code_factor = 4;
  rules.data_factor = -8;
  rules.is_signal_frame = signal_frame;
  rules.instructions = kInitial;
  std::vector<UnwindRow> rows;
  RunCallFrameProgram(rules, program, 0, 0x100, rows);
  return rows;
}

TEST(EhFrameArm64, FollowsAFrameRecord) {
  // stp x29, x30, [sp, #-32]!: def_cfa_offset 32, x29 at -32, x30 at -24; ldp: all as before
  EXPECT_EQ(RowsOf({0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x46, 0xde, 0xdd, 0x0e, 0}),
            (std::vector<UnwindRow>{{0, UnwindStep::Of(Kind::kSp)},
                                    {4, UnwindStep::Of(Kind::kSp, 4, 4)},
                                    {28, UnwindStep::Of(Kind::kSp)}}));
  // The CFA from x29, as clang writes it.
  EXPECT_EQ(RowsOf({0x41, 0x0e, 32, 0x9d, 2, 0x9e, 1, 0x42, 0x0c, 29, 16}).back(),
            (UnwindRow{12, UnwindStep::Of(Kind::kBp, 2, 2)}));
}

TEST(EhFrameArm64, FollowsAReturnAddressThatIsSavedAlone) {
  EXPECT_EQ(RowsOf({0x41, 0x0e, 16, 0x9e, 2}).back(),
            (UnwindRow{4, UnwindStep::Of(Kind::kSp, 2, 2 | kLinkAlone)}));
}

TEST(EhFrameArm64, TakesSignaturesForGiven) {
  // paciasp: DW_CFA_AARCH64_negate_ra_state
  EXPECT_EQ(RowsOf({0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3}).back(),
            (UnwindRow{8, UnwindStep::Of(Kind::kSp, 4, 4)}));
}

TEST(EhFrameArm64, FindsTheFirstFunctionOfAThread) {
  EXPECT_EQ(RowsOf({0x07, 30}).back(), (UnwindRow{0, UnwindStep::Of(Kind::kRoot)}));
  EXPECT_EQ(RowsOf({}, true).back(), (UnwindRow{0, UnwindStep::Of(Kind::kSignal)}));
}

TEST(EhFrameArm64, KnowsNothingOfWhatARowCannotExpress) {
  EXPECT_EQ(RowsOf({0x0e, 32, 0x9d, 4, 0x9e, 1}).back(), (UnwindRow{0, {}}));  // not side by side
  EXPECT_EQ(RowsOf({0x0e, 32, 0x9d, 4}).back(), (UnwindRow{0, {}}));           // x29 alone
  EXPECT_EQ(RowsOf({0x0c, 19, 16}).back(), (UnwindRow{0, {}}));                // CFA from x19
  EXPECT_EQ(RowsOf({0x09, 30, 17}).back(), (UnwindRow{0, {}}));                // x30 in x17
  EXPECT_EQ(RowsOf({0x0f, 2, 0x8f, 0x10}).back(), (UnwindRow{0, {}}));         // by an expression
}

}  // namespace
}  // namespace hindsight::recorder
