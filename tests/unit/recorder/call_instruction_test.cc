// Calls in machine code of x64.
#include "recorder/names/call_instruction.h"

#include <gtest/gtest.h>

#include <vector>

namespace hindsight::recorder {
namespace {

using Bytes = std::vector<uint8_t>;

bool IsCall(Bytes code) {
  code.insert(code.begin(), kCallBytes, 0x90);
  return EndsWithCall(code);
}

TEST(CallInstruction, IsKnownInEachForm) {
  EXPECT_TRUE(IsCall({0xe8, 1, 2, 3, 4}));                       // call +0x4030201
  EXPECT_TRUE(IsCall({0xff, 0xd0}));                             // call rax
  EXPECT_TRUE(IsCall({0x41, 0xff, 0xd3}));                       // call r11
  EXPECT_TRUE(IsCall({0xff, 0x10}));                             // call [rax]
  EXPECT_TRUE(IsCall({0xff, 0x50, 0x18}));                       // call [rax + 24]
  EXPECT_TRUE(IsCall({0xff, 0x90, 0, 1, 0, 0}));                 // call [rax + 256]
  EXPECT_TRUE(IsCall({0xff, 0x15, 1, 2, 3, 4}));                 // call [rip + 0x4030201]
  EXPECT_TRUE(IsCall({0xff, 0x14, 0xc8}));                       // call [rax + 8 * rcx]
  EXPECT_TRUE(IsCall({0x41, 0xff, 0x54, 0x24, 0x08}));           // call [r12 + 8]
  EXPECT_TRUE(IsCall({0xff, 0x94, 0xc8, 0, 1, 0, 0}));           // call [rax + 8 * rcx + 256]
  EXPECT_TRUE(IsCall({0xff, 0x14, 0x25, 0x00, 0x10, 0x00, 0}));  // call [0x1000]
}

TEST(CallInstruction, OtherCodeIsNone) {
  EXPECT_FALSE(IsCall({}));
  EXPECT_FALSE(IsCall({0xc3, 0xcc, 0xcc, 0xcc}));  // ret, and the padding before a method
  EXPECT_FALSE(IsCall({0xff, 0xe0}));              // jmp rax
  EXPECT_FALSE(IsCall({0xff, 0x25, 1, 2, 3, 4}));  // jmp [rip + 0x4030201]
  EXPECT_FALSE(IsCall({0xe9, 1, 2, 3, 4}));        // jmp +0x4030201
  EXPECT_FALSE(IsCall({0xe8, 1, 2, 3}));           // in the middle of a call
  EXPECT_FALSE(IsCall({0xe8, 1, 2, 3, 4, 0x90}));  // one instruction after it
  EXPECT_FALSE(IsCall({0xff, 0x15, 1, 2, 3}));
  EXPECT_FALSE(EndsWithCall({}));
}

// What is before the code must not matter.
TEST(CallInstruction, NeedsAllItsBytes) {
  const Bytes code = {0xff, 0x94, 0xc8, 0, 1, 0, 0};
  for (size_t bytes = 1; bytes < code.size(); ++bytes) {
    EXPECT_FALSE(EndsWithCall(std::span(code).last(bytes))) << bytes;
  }
  EXPECT_TRUE(EndsWithCall(code));
}

}  // namespace
}  // namespace hindsight::recorder
