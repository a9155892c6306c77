// Budgets on recordings, from text to verdicts: check_cases/NAME.toml is judged for the recording
// cases/NAME.textproto, which is its own baseline, as text, as JSON and as JUnit's XML.
//
// HINDSIGHT_REGENERATE=1 as for golden_test.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/golden/golden_file.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace {

namespace fs = std::filesystem;
using hindsight::testing::ExpectFile;
using hindsight::testing::ReadFile;
using hindsight::testing::RecordingBuilder;
using hindsight::testing::RunProgram;
using hindsight::testing::RunResult;
using hindsight::testing::TempDir;
using hindsight::testing::WriteFile;

const fs::path kCases = HINDSIGHT_GOLDEN_CHECK_CASES;

class CheckGolden : public ::testing::TestWithParam<std::string> {
 protected:
  CheckGolden() {
    RecordingBuilder builder;
    builder.AddText(ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / (GetParam() + ".textproto")));
    builder.WriteFolder(folder_ / "recording");
    WriteFile(folder_ / "budgets.toml", ReadFile(kCases / (GetParam() + ".toml")));
  }

  RunResult Check(std::vector<std::string> arguments) {
    std::vector<std::string> command = {
        HINDSIGHT_BINARY,         "check",      folder_ / "recording", "--budget",
        folder_ / "budgets.toml", "--baseline", folder_ / "recording"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    RunResult result = RunProgram(command);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, 1);  // each case has a budget that is broken
    result.out = WithoutFolder(result.out);
    return result;
  }

  std::string WithoutFolder(std::string text) {
    return hindsight::testing::WithoutFolder(std::move(text), folder_.path() / "", "");
  }

  TempDir folder_;
};

TEST_P(CheckGolden, VerdictsAreAsExpected) {
  ExpectFile(kCases / (GetParam() + ".txt"), Check({}).out);
  ExpectFile(kCases / (GetParam() + ".check.json"), Check({"--json"}).out);
}

// xmllint reads what CI systems would.
TEST_P(CheckGolden, JunitIsReadByAnXmlParser) {
  const fs::path xml = folder_ / "verdicts.xml";
  Check({"--junit", xml.string()});
  ExpectFile(kCases / (GetParam() + ".xml"), WithoutFolder(ReadFile(xml)));
  if (!fs::exists("/usr/bin/xmllint")) GTEST_SKIP() << "there is no xmllint here";
  const RunResult parsed = RunProgram(
      {"xmllint", "--nonet", "--xpath",
       "concat(/testsuites/@tests = count(//testcase), ' ', //testsuite/@failures = "
       "count(//failure), ' ', //testsuite/@skipped = count(//skipped), ' ', count(//failure) > 0)",
       xml.string()});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
  EXPECT_EQ(parsed.out, "true true true true\n");
}

INSTANTIATE_TEST_SUITE_P(Cases, CheckGolden, ::testing::Values("allocations", "cpu", "gc", "locks"),
                         [](const auto& info) { return info.param; });

TEST(CheckGolden, ListsWhatBudgetsCanBeAbout) {
  const RunResult listed = RunProgram({HINDSIGHT_BINARY, "check", "--list"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  ExpectFile(kCases / "list.txt", listed.out);
}

TEST(CheckGolden, ReportsMistakesBeforeItReads) {
  const TempDir folder;
  WriteFile(folder / "budgets.toml", "[budgets]\npauses = \"p99 GC pause < 20 MB\"\n");
  const RunResult mistaken = RunProgram(
      {HINDSIGHT_BINARY, "check", folder / "nothing", "--budget", folder / "budgets.toml"});
  EXPECT_EQ(mistaken.exit_code, 2);
  EXPECT_NE(mistaken.err.find("budgets.toml:2:26: '20 MB' does not fit"), std::string::npos)
      << mistaken.err;
  EXPECT_EQ(RunProgram({HINDSIGHT_BINARY, "check", folder / "nothing"}).exit_code, 64);
  EXPECT_EQ(
      RunProgram({HINDSIGHT_BINARY, "check", folder / "nothing", "--budget", folder / "no.toml"})
          .exit_code,
      2);
}

}  // namespace
