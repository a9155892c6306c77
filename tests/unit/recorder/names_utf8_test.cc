#include "recorder/names/utf8.h"

#include <gtest/gtest.h>

namespace hindsight::recorder {
namespace {

TEST(Utf8, ConvertsEveryLength) {
  EXPECT_EQ(ToUtf8(u""), "");
  EXPECT_EQ(ToUtf8(u"plain"), "plain");
  EXPECT_EQ(ToUtf8(u"\u007f\u0080\u07ff\u0800\uffff"),
            "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
  EXPECT_EQ(ToUtf8(u"\U00010000\U0010ffff"), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(Utf8, KeepsEmbeddedNul) {
  EXPECT_EQ(ToUtf8(std::u16string_view(u"a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, ReplacesLoneSurrogates) {
  const std::string replacement = "\xef\xbf\xbd";
  const char16_t high_at_end[] = {u'a', 0xd83d};
  const char16_t low_first[] = {0xde00, u'a'};
  const char16_t high_high_low[] = {0xd83d, 0xd83d, 0xde00};
  EXPECT_EQ(ToUtf8({high_at_end, 2}), "a" + replacement);
  EXPECT_EQ(ToUtf8({low_first, 2}), replacement + "a");
  EXPECT_EQ(ToUtf8({high_high_low, 3}), replacement + "\xf0\x9f\x98\x80");
}

TEST(Utf8, CutsAtTheLimitAndCountsWhatIsLeftOut) {
  std::string out = "x";
  EXPECT_EQ(AppendUtf8(u"abcdef", 4, out), 2u);
  EXPECT_EQ(out, "xabcd");
  EXPECT_EQ(AppendUtf8(u"abc", 3, out), 0u);
  EXPECT_EQ(AppendUtf8(u"abc", 0, out), 3u);
  EXPECT_EQ(out, "xabcdabc");
}

TEST(Utf8, NeverSplitsAPair) {
  std::string out;
  EXPECT_EQ(AppendUtf8(u"a\U0001f600b", 2, out), 3u);
  EXPECT_EQ(out, "a");
}

}  // namespace
}  // namespace hindsight::recorder
