// Prologs and epilogs as the JIT of .NET 10 wrote them.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "recorder/stack/prolog.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;
using Bytes = std::vector<uint8_t>;

UnwindStep StepAt(const PrologRows& rows, uint32_t offset) {
  UnwindStep step;
  for (const UnwindRow& row : rows.span()) {
    if (row.offset <= offset) step = row.step;
  }
  return step;
}

TEST(Prolog, OfAMethodWithAFramePointer) {
  // push rbp; push r15; push rbx; sub rsp, 16; lea rbp, [rsp + 32]; mov rbx, rdi
  const PrologRows rows = ReadProlog(Bytes{0x55, 0x41, 0x57, 0x53, 0x48, 0x83, 0xec, 0x10, 0x48,
                                           0x8d, 0x6c, 0x24, 0x20, 0x48, 0x8b, 0xdf});
  EXPECT_EQ(StepAt(rows, 0), UnwindStep::Of(Kind::kSp, 1));
  EXPECT_EQ(StepAt(rows, 1), UnwindStep::Of(Kind::kSp, 2, 2));
  EXPECT_EQ(StepAt(rows, 2), UnwindStep::Of(Kind::kSp, 2, 2));
  EXPECT_EQ(StepAt(rows, 3), UnwindStep::Of(Kind::kSp, 3, 2));
  EXPECT_EQ(StepAt(rows, 4), UnwindStep::Of(Kind::kSp, 4, 2));
  EXPECT_EQ(StepAt(rows, 8), UnwindStep::Of(Kind::kSp, 6, 2));
  EXPECT_EQ(StepAt(rows, 13), UnwindStep::Of(Kind::kBp, 2, 2));
  EXPECT_EQ(rows.body(), UnwindStep::Of(Kind::kBp, 2, 2));
}

TEST(Prolog, OfASmallMethod) {
  // push rax; call [rip + N]: the push is for the alignment
  const PrologRows rows = ReadProlog(Bytes{0x50, 0xff, 0x15, 0x39, 0x11, 0x83, 0x00});
  EXPECT_EQ(StepAt(rows, 0), UnwindStep::Of(Kind::kSp, 1));
  EXPECT_EQ(rows.body(), UnwindStep::Of(Kind::kSp, 2));
}

TEST(Prolog, OfAMethodThatTouchesNoStack) {
  const PrologRows rows = ReadProlog(Bytes{0x8b, 0xc7, 0xc1, 0xe0, 0x05, 0xc3});
  EXPECT_EQ(rows.count, 1u);
  EXPECT_EQ(rows.body(), UnwindStep::Of(Kind::kSp, 1));
}

TEST(Prolog, OfALargeFrameThatAHelperTouches) {
  // push rbp; lea r11, [rsp - 0x7d50]; call helper; mov rsp, r11; lea rbp, [rsp + 0x7d50]
  const PrologRows rows = ReadProlog(Bytes{0x55, 0x4c, 0x8d, 0x9c, 0x24, 0xb0, 0x82, 0xff, 0xff,
                                           0xe8, 0x82, 0x51, 0x57, 0x7e, 0x49, 0x8b, 0xe3, 0x48,
                                           0x8d, 0xac, 0x24, 0x50, 0x7d, 0x00, 0x00, 0x33, 0xc0});
  EXPECT_EQ(StepAt(rows, 9), UnwindStep::Of(Kind::kSp, 2, 2));
  EXPECT_EQ(StepAt(rows, 17), UnwindStep::Of(Kind::kSp, 2 + 0x7d50 / 8, 2));
  EXPECT_EQ(rows.body(), UnwindStep::Of(Kind::kBp, 2, 2));
}

TEST(Prolog, OfABodyThatReplacesOneThatRuns) {
  // mov rax, [rbp]; push rax; sub rsp, 32; mov [rsp + N], r15, r14, rbx; lea rbp, [rsp + 32]
  const PrologRows rows =
      ReadProlog(Bytes{0x48, 0x8b, 0x45, 0x00, 0x50, 0x48, 0x83, 0xec, 0x20, 0x4c, 0x89,
                       0x7c, 0x24, 0x68, 0x4c, 0x89, 0x74, 0x24, 0x60, 0x48, 0x89, 0x5c,
                       0x24, 0x58, 0x48, 0x8d, 0x6c, 0x24, 0x20, 0x8b, 0x5d, 0x24});
  EXPECT_EQ(StepAt(rows, 9), UnwindStep::Of(Kind::kSp, 6, 2));
  EXPECT_EQ(rows.body().is(), Kind::kOsr);
}

TEST(Prolog, IsAsLongAsItsBytes) {
  const Bytes whole = {0x55, 0x41, 0x57, 0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x8d, 0x6c, 0x24};
  for (size_t size = 0; size <= whole.size(); ++size) {
    const PrologRows rows = ReadProlog(std::span(whole).first(size));
    ASSERT_GE(rows.count, 1u);
    EXPECT_EQ(rows.body().is(), Kind::kSp);
  }
  EXPECT_LE(ReadProlog(Bytes(200, 0x50)).count, PrologRows::kMax);
}

constexpr uintptr_t kStart = 0x1000, kEnd = 0x1100;

std::optional<UnwindStep> Epilog(const Bytes& code) {
  return ReadEpilog(code, 0x1080, kStart, kEnd);
}

TEST(Epilog, IsReadFromWhereItIsInterrupted) {
  // add rsp, 16; pop rbx; pop r15; pop rbp; ret
  const Bytes code = {0x48, 0x83, 0xc4, 0x10, 0x5b, 0x41, 0x5f, 0x5d, 0xc3};
  EXPECT_EQ(Epilog(code), UnwindStep::Of(Kind::kSp, 6, 2));
  EXPECT_EQ(Epilog({code.begin() + 4, code.end()}), UnwindStep::Of(Kind::kSp, 4, 2));
  EXPECT_EQ(Epilog({code.begin() + 7, code.end()}), UnwindStep::Of(Kind::kSp, 2, 2));
  EXPECT_EQ(Epilog({code.begin() + 8, code.end()}), UnwindStep::Of(Kind::kSp, 1));
}

TEST(Epilog, MayEndInAJumpOutOfTheMethod) {
  EXPECT_EQ(Epilog({0x5d, 0x48, 0xff, 0xe0}), UnwindStep::Of(Kind::kSp, 2, 2));  // jmp rax
  EXPECT_EQ(Epilog({0x48, 0x83, 0xc4, 0x08, 0xe9, 0x00, 0x10, 0x00, 0x00}),
            UnwindStep::Of(Kind::kSp, 2));
  EXPECT_EQ(Epilog({0xe9, 0x10, 0x00, 0x00, 0x00}), std::nullopt);  // to a place in the body
}

TEST(Epilog, IsNothingElse) {
  EXPECT_EQ(Epilog({0x8b, 0xc7, 0xc3}), std::nullopt);
  EXPECT_EQ(Epilog({0x5d}), std::nullopt);  // cut off
  EXPECT_EQ(Epilog({}), std::nullopt);
  EXPECT_EQ(Epilog(Bytes(48, 0x58)), std::nullopt);
}

}  // namespace
}  // namespace hindsight::recorder
