#include "recorder/contract/text.h"

#include <gtest/gtest.h>

namespace hindsight::contract {
namespace {

TEST(Text, RepairsMalformedUtf8ByteByByte) {
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(RepairedUtf8(""), "");
  EXPECT_EQ(RepairedUtf8("plain \xc3\xa9 \xf0\x9f\x98\x80"), "plain \xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(RepairedUtf8("a\xff"
                         "b"),
            "a" + replacement + "b");
  EXPECT_EQ(RepairedUtf8("\xc3"), replacement);                                      // cut short
  EXPECT_EQ(RepairedUtf8("\xc0\xaf"), replacement + replacement);                    // overlong
  EXPECT_EQ(RepairedUtf8("\xed\xa0\x80"), replacement + replacement + replacement);  // surrogate
}

}  // namespace
}  // namespace hindsight::contract
