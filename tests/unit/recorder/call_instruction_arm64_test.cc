// Calls in machine code of arm64.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "recorder/names/call_instruction.h"

namespace hindsight::recorder {
namespace {

bool IsCall(uint32_t word) {
  std::vector<uint8_t> code(sizeof word);
  std::memcpy(code.data(), &word, sizeof word);
  return EndsWithCall(code);
}

TEST(CallInstructionArm64, IsKnownInEachForm) {
  EXPECT_TRUE(IsCall(0x94000010));  // bl +64
  EXPECT_TRUE(IsCall(0x97fffff0));  // bl -64
  EXPECT_TRUE(IsCall(0xd63f0120));  // blr x9
  EXPECT_TRUE(IsCall(0xd63f093f));  // blraaz x9
  EXPECT_TRUE(IsCall(0xd73f0921));  // blraa x9, x1
}

TEST(CallInstructionArm64, OtherCodeIsNone) {
  EXPECT_FALSE(IsCall(0x14000010));  // b +64
  EXPECT_FALSE(IsCall(0xd61f0120));  // br x9
  EXPECT_FALSE(IsCall(0xd65f03c0));  // ret
  EXPECT_FALSE(IsCall(0xaa0103e0));  // mov x0, x1
  EXPECT_FALSE(IsCall(0xd4200000));  // brk 0, the padding
  EXPECT_FALSE(EndsWithCall({}));
}

}  // namespace
}  // namespace hindsight::recorder
