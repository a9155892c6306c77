#include "analyzer/base/text.h"

#include <gtest/gtest.h>

namespace hindsight::analyzer {
namespace {

TEST(Text, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(Plural(1, "segment"), "1 segment");
  EXPECT_EQ(Plural(2000, "segment"), "2,000 segments");
}

TEST(Text, Bytes) {
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(1023), "1,023 bytes");
  EXPECT_EQ(FormatBytes(1024), "1.0 KiB");
  EXPECT_EQ(FormatBytes((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(FormatBytes(3u << 19), "1.5 MiB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "16.0 EiB");
}

TEST(Text, Durations) {
  EXPECT_EQ(FormatDuration(850), "850 ns");
  EXPECT_EQ(FormatDuration(12'300'000), "12.3 ms");
  EXPECT_EQ(FormatDuration(999'999), "1.0 ms");
  EXPECT_EQ(FormatDuration(1'500'000'000), "1.50 s");
  EXPECT_EQ(FormatDuration(59'999'000'000), "1 m 00 s");
  EXPECT_EQ(FormatDuration(7'500'000'000'000), "2 h 05 m");
  EXPECT_EQ(FormatDuration(90'000'000'000'000), "1 d 01 h");
}

TEST(Text, Times) {
  EXPECT_EQ(FormatUnixTime(1'795'255'200'250'000'000), "2026-11-21T10:00:00.250Z");
  EXPECT_EQ(FormatUnixTime(0), "1970-01-01T00:00:00.000Z");
}

TEST(Text, ForeignTextCannotSteerTheTerminal) {
  EXPECT_EQ(Printable("plain, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "plain, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(Printable("\x1b[31mred\n\t\x7f"), "\\x1b[31mred\\n\\t\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // C1: CSI
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb");  // right-to-left override
  // Characters that end a line elsewhere, and invisible ones.
  for (const char* hidden : {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\x8b", "\xe2\x80\x8d",
                             "\xe2\x80\x8e", "\xd8\x9c", "\xc2\xad", "\xc2\x85", "\xe2\x81\xa0",
                             "\xef\xbb\xbf", "\xf3\xa0\x80\xa0", "\xe3\x85\xa4"}) {
    EXPECT_EQ(Printable(hidden).find('\\'), 0u) << Printable(hidden);
    EXPECT_EQ(PrintableLines(hidden), Printable(hidden));
    EXPECT_EQ(ValidUtf8(hidden), hidden);
  }
  EXPECT_EQ(PrintableLines("a\r\n\tb\x1b"), "a\r\n\tb\\x1b");
}

TEST(Text, JsonKeepsItsValuesAndIsSafe) {
  EXPECT_EQ(EscapedJson("{\n  \"\xc2\x9b\": \"\xe2\x80\xa8\xc3\xa4\"\n}"),
            "{\n  \"\\u009b\": \"\\u2028\xc3\xa4\"\n}");
  EXPECT_EQ(EscapedJson("\"\xf3\xa0\x80\xa0\""), "\"\\udb40\\udc20\"");  // U+E0020
}

TEST(Text, BytesThatAreNotUtf8AreReplaced) {
  constexpr char kReplacement[] = "\xef\xbf\xbd";
  for (const char* bad : {"\xff", "\xc0", "\xf8"}) EXPECT_EQ(ValidUtf8(bad), kReplacement);
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80").substr(0, 3), kReplacement);      // a surrogate
  EXPECT_EQ(ValidUtf8("\xc3"), kReplacement);                           // cut off
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80").substr(0, 3), kReplacement);  // beyond U+10FFFF
  EXPECT_EQ(ValidUtf8("\xe0\x80\x80").substr(0, 3), kReplacement);      // overlong
  EXPECT_EQ(ValidUtf8("keeps\n\x1b"), "keeps\n\x1b");
}

TEST(Text, CellsOfCsvAreQuotedWhereTheyHaveToBe) {
  EXPECT_EQ(CsvText("a b"), "a b");
  EXPECT_EQ(CsvText("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(CsvText(""), "\"\"");
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    EXPECT_EQ(CsvText(formula), std::string("'") + formula);
  }
  EXPECT_EQ(CsvText("=A1,\"x\""), "\"'=A1,\"\"x\"\"\"");
  EXPECT_EQ(CsvText("\t=1"), "'\t=1");
  EXPECT_EQ(CsvText("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(CsvText("a=1"), "a=1");
  EXPECT_EQ(CsvText("a\xe2\x80\xae"), "a\\u202e");
}

TEST(Text, HexHasAllDigits) {
  EXPECT_EQ(FormatHex(uint64_t{0x2a}), "000000000000002a");
  EXPECT_EQ(FormatHex(std::string_view("\x00\xff", 2)), "00ff");
}

TEST(Text, RowsAreAligned) {
  AlignedRows rows;
  rows.Add("a", "1");
  rows.Add("long", "2\n3");
  EXPECT_EQ(rows.Render(" "), " a     1\n long  2\n       3\n");
}

}  // namespace
}  // namespace hindsight::analyzer
