// The worked example of FORMAT.md is what the code writes.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "proto/limits.h"
#include "tests/support/recording_builder.h"

namespace hindsight::testing {
namespace {

constexpr char kExample[] = R"(
  packet { segment_start { monotonic_ns: 5000000000 unix_ns: 1795255200000000000 } }
  packet { string { id: 1 value: "System.TimeoutException" } }
  packet { time_delta_ns: 250000000 recorder_note { text: "FORMAT.md, worked example" } }
)";

// As `xxd -g1` prints it.
std::string HexDump(const std::string& bytes) {
  std::string out;
  for (size_t row = 0; row < bytes.size(); row += 16) {
    std::array<char, 24> offset;
    std::snprintf(offset.data(), offset.size(), "%08zx:", row);
    std::string hex;
    std::string text;
    for (size_t i = row; i < row + 16; ++i) {
      if (i >= bytes.size()) {
        hex += "   ";
        continue;
      }
      const auto byte = static_cast<unsigned char>(bytes[i]);
      std::array<char, 4> digits;
      std::snprintf(digits.data(), digits.size(), " %02x", byte);
      hex += digits.data();
      text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    out += offset.data() + hex + "  " + text + "\n";
  }
  return out;
}

std::string FormatMd() { return ReadFile(std::string(PROTO_FOLDER) + "/FORMAT.md"); }

TEST(FormatMd, TheHexdumpIsWhatTheCodeWrites) {
  RecordingBuilder builder(0x0123456789abcdef);
  builder.AddText(kExample);
  const std::string dump = HexDump(builder.files()[0]);
  EXPECT_NE(FormatMd().find("```\n" + dump + "```\n"), std::string::npos) << "expected:\n" << dump;
}

TEST(FormatMd, TheExampleInTextIsTheOneInBytes) {
  const std::string text = FormatMd();
  std::string example = kExample + 1;  // without the first newline
  EXPECT_NE(text.find(example), std::string::npos) << "expected:\n" << example;
}

TEST(FormatMd, TheLimitsAreThoseOfTheCode) {
  const std::string text = FormatMd();
  const auto expect_row = [&](const char* name, uint64_t value) {
    const std::string row = std::string("| `") + name + "` | " + std::to_string(value) + " |";
    EXPECT_NE(text.find(row), std::string::npos) << "expected: " << row;
  };
  expect_row("kMaxSegmentRawBytes", kMaxSegmentRawBytes);
  expect_row("kMaxSegmentCompressedBytes", kMaxSegmentCompressedBytes);
  expect_row("kTargetSegmentRawBytes", kTargetSegmentRawBytes);
  expect_row("kMaxPacketBytes", kMaxPacketBytes);
  expect_row("kMaxStringBytes", kMaxStringBytes);
  expect_row("kMaxStackDepth", kMaxStackDepth);
  expect_row("kMaxDictionaryEntries", kMaxDictionaryEntries);
  expect_row("kMaxHeapClassIds", kMaxHeapClassIds);
}

}  // namespace
}  // namespace hindsight::testing
