// Prologs and epilogs as the JIT generates them on arm64.
#include <gtest/gtest.h>

#include <vector>

#include "recorder/stack/prolog.h"
#include "recorder/stack/unwind_step_arm64.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr uintptr_t kStart = 0x1000, kEnd = 0x2000;
constexpr uint32_t kRet = 0xd65f03c0, kMovX0X1 = 0xaa0103e0, kBlrX9 = 0xd63f0120;

class Code {
 public:
  Code(std::initializer_list<uint32_t> words) : words_(words) {}
  std::span<const uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * 4};
  }

 private:
  std::vector<uint32_t> words_;
};

PrologRows Prolog(std::initializer_list<uint32_t> words) { return ReadProlog(Code(words).bytes()); }

std::optional<UnwindStep> Epilog(std::initializer_list<uint32_t> words) {
  return ReadEpilog(Code(words).bytes(), 0x1080, kStart, kEnd);
}

std::vector<UnwindRow> Rows(const PrologRows& rows) {
  return {rows.span().begin(), rows.span().end()};
}

TEST(PrologArm64, FollowsARecordAtTheBottomOfTheFrame) {
  // stp x29, x30, [sp, #-64]!; stp x19, x20, [sp, #48]; mov x29, sp
  EXPECT_EQ(Rows(Prolog({0xa9bc7bfd, 0xa90353f3, 0x910003fd, kMovX0X1})),
            (std::vector<UnwindRow>{{0, UnwindStep::Of(Kind::kSp)},
                                    {4, UnwindStep::Of(Kind::kSp, 8, 8)},
                                    {12, UnwindStep::Of(Kind::kBp, 8, 8)}}));
}

TEST(PrologArm64, FollowsARecordAboveOutgoingArguments) {
  // sub sp, sp, #96; stp x29, x30, [sp, #32]; str x19, [sp, #88]; add x29, sp, #32
  EXPECT_EQ(Rows(Prolog({0xd10183ff, 0xa9027bfd, 0xf9002ff3, 0x910083fd, kMovX0X1})),
            (std::vector<UnwindRow>{{0, UnwindStep::Of(Kind::kSp)},
                                    {4, UnwindStep::Of(Kind::kSp, 12)},
                                    {8, UnwindStep::Of(Kind::kSp, 12, 8)},
                                    {16, UnwindStep::Of(Kind::kBp, 8, 8)}}));
}

TEST(PrologArm64, FollowsALargeFrame) {
  // stp x19, x20, [sp, #-80]!; stp d8, d9, [sp, #16]; sub sp, sp, #4096; stp x29, x30, [sp, #16];
  // add x29, sp, #16
  EXPECT_EQ(Prolog({0xa9bb53f3, 0x6d0127e8, 0xd14007ff, 0xa9017bfd, 0x910043fd}).body(),
            UnwindStep::Of(Kind::kBp, 10 + 512 - 2, 10 + 512 - 2));
  // paciasp; stp x29, x30, [sp, #-32]!; stp x19, x20, [sp, #16]; sub sp, sp, #64; add x29, sp, #64
  EXPECT_EQ(Prolog({0xd503233f, 0xa9be7bfd, 0xa90153f3, 0xd10103ff, 0x910103fd}).body(),
            UnwindStep::Of(Kind::kBp, 4, 4));
}

TEST(PrologArm64, FindsTheReturnAddressInTheRegister) {
  EXPECT_EQ(Prolog({kMovX0X1, kRet}).body(), UnwindStep::Of(Kind::kSp));
  EXPECT_EQ(Prolog({kRet}).count, 1u);
}

TEST(PrologArm64, KnowsNothingOfAFormThatItDoesNotKnow) {
  EXPECT_EQ(Prolog({kMovX0X1, kBlrX9, kRet}).body(),
            UnwindStep{});  // it calls: where is the record?
  // stp x29, x30, [sp, #-32]!; mov x9, x0; ...
  EXPECT_EQ(Prolog({0xa9be7bfd, 0xaa0003e9, 0x910003fd}).body(), UnwindStep{});
  // mov x29, sp without a record
  EXPECT_EQ(Prolog({0xd10103ff, 0x910003fd, kBlrX9}).body(), UnwindStep{});
  EXPECT_EQ(ReadProlog({}).body(), UnwindStep::Of(Kind::kSp));
}

TEST(PrologArm64, HasRoomForEveryProlog) {
  const Code code({0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff,
                   0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff,
                   0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff,
                   0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff, 0xd10043ff});
  const PrologRows rows = ReadProlog(code.bytes());
  EXPECT_LE(rows.count, PrologRows::kMax);
  EXPECT_EQ(rows.body(), UnwindStep{});
}

TEST(EpilogArm64, LeavesTheFrame) {
  // ldp x19, x20, [sp, #48]; ldp x29, x30, [sp], #64; ret
  EXPECT_EQ(Epilog({0xa94353f3, 0xa8c47bfd, kRet}), UnwindStep::Of(Kind::kSp, 8, 8));
  EXPECT_EQ(Epilog({kRet}), UnwindStep::Of(Kind::kSp));
  // ldp x29, x30, [sp, #32]; add sp, sp, #96; ret
  EXPECT_EQ(Epilog({0xa9427bfd, 0x910183ff, kRet}), UnwindStep::Of(Kind::kSp, 12, 8));
  EXPECT_EQ(Epilog({0x910183ff, kRet}), UnwindStep::Of(Kind::kSp, 12));
  // add sp, sp, #64; ldp x29, x30, [sp], #32; autiasp; ret
  EXPECT_EQ(Epilog({0x910103ff, 0xa8c27bfd, 0xd50323bf, kRet}), UnwindStep::Of(Kind::kSp, 12, 4));
}

TEST(EpilogArm64, IsReportedFromTheBody) {
  EXPECT_EQ(Epilog({kMovX0X1, kRet}), std::nullopt);
  EXPECT_EQ(Epilog({0xa94353f3, kMovX0X1, kRet}), std::nullopt);
  EXPECT_EQ(Epilog({}), std::nullopt);
  EXPECT_EQ(Epilog({0xa8c27bfd}), std::nullopt);  // it goes on somewhere else
}

TEST(EpilogArm64, EndsInAJumpOutOfTheBody) {
  // ldp x29, x30, [sp], #32; b: 0x1084 + N
  EXPECT_EQ(Epilog({0xa8c27bfd, 0x14000000 | (0x2000 / 4)}), UnwindStep::Of(Kind::kSp, 4, 4));
  EXPECT_EQ(Epilog({0xa8c27bfd, 0x14000000 | (0x20 / 4)}), std::nullopt);
  EXPECT_EQ(Epilog({0xa8c27bfd, 0x14000000 | (0x3ffffff - 0x20)}), std::nullopt);
}

}  // namespace
}  // namespace hindsight::recorder
