// Two recordings, from text to their differences: every pair diff_cases/NAME.before.textproto and
// NAME.after.textproto is made into recordings, with the snapshots NAME.before.heap.textproto and
// NAME.after.heap.textproto if there are any, and compared as a user would.
//
// HINDSIGHT_REGENERATE=1 as for golden_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/golden/golden_file.h"
#include "tests/support/heap_file.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace {

namespace fs = std::filesystem;
using hindsight::testing::ExpectFile;
using hindsight::testing::HeapFile;
using hindsight::testing::HeapFileOf;
using hindsight::testing::ReadFile;
using hindsight::testing::RecordingBuilder;
using hindsight::testing::RunProgram;
using hindsight::testing::RunResult;
using hindsight::testing::TempDir;
using hindsight::testing::WithoutFolder;
using hindsight::testing::WriteFile;

const fs::path kCases = HINDSIGHT_GOLDEN_DIFF_CASES;

// What the first line says.
const std::map<std::string, std::string> kVerdicts = {
    {"grown_heap", "1 regression: Shop.Order in List<Order>._items retains "},
    {"more_exceptions",
     "1 regression: Shop.PaymentException in Shop.Gateway.Charge: 2.1 times the exceptions: "},
    {"routes_unseen", "No difference: nothing to compare."},
    {"same", "No difference: "},
    {"slower_method", "1 regression: Shop.Json.Parse uses 2."},
    {"slower_route", "3 regressions: GET stock:8080 takes 2.4 times as long per call: 30."}};

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    const std::string name = entry.path().filename().string();
    const size_t end = name.find(".before.textproto");
    if (end != std::string::npos) names.push_back(name.substr(0, end));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class DiffGolden : public ::testing::TestWithParam<std::string> {
 protected:
  DiffGolden() {
    Write("before", 0x1122334455667788);
    Write("after", 0x8877665544332211);
  }

  void Write(const std::string& side, uint64_t id) {
    const std::string base = (kCases / GetParam()).string() + "." + side;
    RecordingBuilder builder(id);
    builder.AddText(ReadFile(base + ".textproto"));
    builder.WriteFolder(folder_ / side);
    if (!fs::exists(base + ".heap.textproto")) return;
    const HeapFile heap = HeapFileOf(ReadFile(base + ".heap.textproto"), id);
    WriteFile(folder_.path() / side / heap.name(), heap.bytes());
  }

  // Runs in the folder of the two, whose name differs from run to run.
  std::string Diff(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {HINDSIGHT_BINARY, "diff"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return WithoutFolder(result.out, folder_.path() / "", "");
  }

  void Expect(const std::string& suffix, const std::string& actual) {
    ExpectFile(kCases / (GetParam() + "." + suffix), actual);
  }

  TempDir folder_;
};

TEST_P(DiffGolden, ReportsAreAsExpected) {
  const std::string before = folder_ / "before", after = folder_ / "after";
  const std::string text = Diff({before, after});
  const auto verdict = kVerdicts.find(GetParam());
  ASSERT_NE(verdict, kVerdicts.end());
  EXPECT_TRUE(text.starts_with(verdict->second)) << text;
  Expect("diff.txt", text);
  Expect("diff.json", Diff({before, after, "--json"}));
  Expect("diff.back.txt", Diff({after, before}));
  if (fs::exists(fs::path(before) / HeapFile().name())) {
    Expect("diff.heap.txt", Diff({before, after, "--heap"}));
    Expect("diff.heap.json", Diff({before, after, "--heap", "--json"}));
  }
}

// Nothing differs from itself, whatever it is.
TEST_P(DiffGolden, ARecordingIsTheSameAsItself) {
  for (const char* side : {"before", "after"}) {
    const std::string text = Diff({folder_ / side, folder_ / side});
    EXPECT_TRUE(text.starts_with("No difference: ")) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DiffGolden, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
