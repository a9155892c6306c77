// What the shipped binaries need at run time, and which symbols they export to the process that
// loads them.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

// stdout of a shell command that must succeed.
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

std::set<std::string> Shown(const std::string& library) {
  std::set<std::string> symbols;
  std::istringstream lines(OutputOf("nm -D --defined-only '" + library + "'"));
  for (std::string line; std::getline(lines, line);) {
    std::string name = line.substr(line.rfind(' ') + 1);
    name = name.substr(0, name.find('@'));
    if (line.find(" A ") == std::string::npos) symbols.insert(name);  // A: a version's own name
  }
  return symbols;
}

class Program : public testing::TestWithParam<const char*> {};

// The commit is not known where there is no git.
TEST_P(Program, ReportsItsVersionAndCommit) {
  const std::string path = GetParam();
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::regex reported(name + " " HINDSIGHT_VERSION
                                   R"(( \([0-9a-f]{12}( with changes)?\))?\n)");
  const std::string output = OutputOf("'" + path + "' --version");
  EXPECT_TRUE(std::regex_match(output, reported)) << output;
}

#if HINDSIGHT_IS_STATIC
TEST_P(Program, RunsWithoutALibraryOrALoader) {
  EXPECT_EQ(Needed(GetParam()), std::set<std::string>());
  const std::string segments = OutputOf(std::string("readelf -W -l '") + GetParam() + "'");
  EXPECT_NE(segments.find("LOAD"), std::string::npos);
  EXPECT_EQ(segments.find("INTERP"), std::string::npos);
  EXPECT_EQ(segments.find("RWE"), std::string::npos);
}

TEST_P(Program, LiesAtNoFixedAddress) {
  const std::string header = OutputOf(std::string("readelf -W -h '") + GetParam() + "'");
  EXPECT_NE(header.find("DYN"), std::string::npos) << header;
}

// A static program that looks up names of users or hosts, or plug-ins, would load libraries of the
// libc that is there.
TEST_P(Program, LoadsNothing) {
  const std::string symbols = OutputOf(std::string("nm '") + GetParam() + "'");
  for (const char* name : {" getpwnam\n", " getpwuid\n", " getpwuid_r\n", " getgrgid_r\n",
                           " getaddrinfo\n", " gethostbyname\n"}) {
    EXPECT_EQ(symbols.find(name), std::string::npos) << name;
  }
  EXPECT_NE(symbols.find(" T dlopen\n"), std::string::npos) << "libc's own is weak (W)";
}
#else
TEST_P(Program, NeedsNothingButLibc) {
  const std::set<std::string> libc = {"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                      "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"};
  const std::set<std::string> needed = Needed(GetParam());
  EXPECT_TRUE(needed.contains("libc.so.6"));
  for (const std::string& library : needed) EXPECT_TRUE(libc.contains(library)) << library;
}
#endif

INSTANTIATE_TEST_SUITE_P(Shipped, Program, testing::Values(HINDSIGHT_TRIGGER, HINDSIGHT_ANALYZER),
                         [](const auto& test) {
                           const std::string path = test.param;
                           std::string name = path.substr(path.rfind('/') + 1);
                           std::erase_if(name, [](char c) { return !isalnum(c); });
                           return name;
                         });

#if HINDSIGHT_IS_PORTABLE
// musl contains all of these itself; so does glibc since 2.34.
TEST(RecorderBinary, NeedsLibcAlone) {
  EXPECT_EQ(Needed(HINDSIGHT_RECORDER),
            (std::set<std::string>{"libc.so.6", "libdl.so.2", "libpthread.so.0"}));
}

TEST(RecorderBinary, AsksForNothingNewerThanGlibc217) {
  const std::string needs = OutputOf("readelf -W -V '" HINDSIGHT_RECORDER "'");
  constexpr std::pair<int, int> kNewest = {2, 17};
  const std::string prefix = "Name: ";
  int versions = 0;
  for (size_t at = needs.find(prefix); at != std::string::npos; at = needs.find(prefix, at + 1)) {
    const std::string name =
        needs.substr(at + prefix.size(), needs.find(' ', at + prefix.size()) - at - prefix.size());
    int major = 0, minor = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "GLIBC_%d.%d", &major, &minor), 2) << name;
    EXPECT_LE(std::make_pair(major, minor), kNewest) << name;
    ++versions;
  }
  EXPECT_GT(versions, 5);
}

// A library that is loaded late may not have these on musl.
TEST(RecorderBinary, HasNoStaticVariablesOfThreads) {
  EXPECT_EQ(Dynamic(HINDSIGHT_RECORDER).find("STATIC_TLS"), std::string::npos);
  const std::string relocations = OutputOf("readelf -W -r '" HINDSIGHT_RECORDER "'");
  EXPECT_EQ(relocations.find("TPOFF64"), std::string::npos);
  EXPECT_NE(relocations.find("TLSDESC"), std::string::npos);
}

TEST(RecorderBinary, LooksForLibrariesWhereTheSystemHasThem) {
  const std::string dynamic = Dynamic(HINDSIGHT_RECORDER);
  EXPECT_EQ(dynamic.find("RUNPATH"), std::string::npos);
  EXPECT_EQ(dynamic.find("RPATH"), std::string::npos);
}
#endif

TEST(RecorderBinary, ShowsItsTwoEntryPointsOnly) {
  EXPECT_EQ(Shown(HINDSIGHT_RECORDER),
            (std::set<std::string>{"DllCanUnloadNow", "DllGetClassObject"}));
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
