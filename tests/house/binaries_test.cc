// What the shipped binaries need at run time and what they show to the process they are loaded
// into.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>

namespace {

const std::set<std::string> kLibc = {"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                     "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"};

// stdout of a shell command that has to succeed.
std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer;
  for (size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

std::string Dynamic(const std::string& binary) {
  return OutputOf("readelf -W -d '" + binary + "'");
}

std::set<std::string> Needed(const std::string& binary) {
  std::set<std::string> needed;
  std::istringstream lines(Dynamic(binary));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    const size_t begin = line.find('[') + 1;
    needed.insert(line.substr(begin, line.find(']') - begin));
  }
  return needed;
}

class BinaryTest : public testing::TestWithParam<const char*> {};

TEST_P(BinaryTest, NeedsNothingButLibc) {
  const std::set<std::string> needed = Needed(GetParam());
  EXPECT_TRUE(needed.contains("libc.so.6"));
  for (const std::string& library : needed) EXPECT_TRUE(kLibc.contains(library)) << library;
}

INSTANTIATE_TEST_SUITE_P(Shipped, BinaryTest,
                         testing::Values(HINDSIGHT_RECORDER, HINDSIGHT_TRIGGER, HINDSIGHT_ANALYZER),
                         [](const auto& test) {
                           const std::string path = test.param;
                           std::string name = path.substr(path.rfind('/') + 1);
                           std::erase_if(name, [](char c) { return !isalnum(c); });
                           return name;
                         });

TEST(RecorderBinary, ShowsItsTwoEntryPointsOnly) {
  std::set<std::string> symbols;
  std::istringstream lines(OutputOf("nm -D --defined-only '" HINDSIGHT_RECORDER "'"));
  for (std::string line; std::getline(lines, line);) {
    std::string name = line.substr(line.rfind(' ') + 1);
    name = name.substr(0, name.find('@'));
    if (line.find(" A ") == std::string::npos) symbols.insert(name);  // A: a version's own name
  }
  EXPECT_EQ(symbols, (std::set<std::string>{"DllCanUnloadNow", "DllGetClassObject"}));
}

TEST(RecorderBinary, StaysMappedAndIsHardened) {
  const std::string dynamic = Dynamic(HINDSIGHT_RECORDER);
  EXPECT_NE(dynamic.find("NODELETE"), std::string::npos);
  EXPECT_NE(dynamic.find("NOW"), std::string::npos);
  EXPECT_EQ(dynamic.find("TEXTREL"), std::string::npos);
  const std::string segments = OutputOf("readelf -W -l '" HINDSIGHT_RECORDER "'");
  EXPECT_NE(segments.find("GNU_RELRO"), std::string::npos);
  EXPECT_EQ(segments.find("RWE"), std::string::npos);
}

}  // namespace
