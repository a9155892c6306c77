// Recordings, from text to reports: every cases/NAME.textproto is made into a recording, each
// command below is run on it as a user would, and what it prints is compared with
// cases/NAME.<report>.
//
// With HINDSIGHT_REGENERATE=1 in the environment the expected reports are written instead, and the
// test fails so that nobody mistakes it for a pass. Read the difference before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
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
using hindsight::testing::WithoutFolder;
using hindsight::testing::WriteFile;

struct Report {
  std::string suffix;
  std::vector<std::string> arguments;
};

const std::vector<Report>& Reports() {
  static const std::vector<Report> kReports = {
      {"exceptions.txt", {"exceptions"}},      {"exceptions.json", {"exceptions", "--json"}},
      {"tree.txt", {"exceptions", "--tree"}},  {"threads.txt", {"threads"}},
      {"threads.json", {"threads", "--json"}},
  };
  return kReports;
}

// Cases about waits, by their names; they run additional commands.
bool IsAboutWaits(const std::string& name) { return name.starts_with("locks"); }

const std::vector<Report>& WaitReports() {
  static const std::vector<Report> kReports = {{"locks.txt", {"locks"}},
                                               {"locks.json", {"locks", "--json"}},
                                               {"wall.txt", {"wall"}},
                                               {"wall.json", {"wall", "--json"}},
                                               {"wall.timeline.txt", {"wall", "--timeline"}},
                                               {"pool.txt", {"pool"}},
                                               {"pool.json", {"pool", "--json"}}};
  return kReports;
}

// Cases about CPU time, likewise.
bool IsAboutCpu(const std::string& name) { return name.starts_with("cpu"); }

const std::vector<Report>& CpuReports() {
  static const std::vector<Report> kReports = {
      {"cpu.txt", {"cpu"}},
      {"cpu.json", {"cpu", "--json"}},
      {"cpu.bottom-up.txt", {"cpu", "--bottom-up", "--min-share", "5"}},
      {"cpu.by-thread.txt", {"cpu", "--by-thread"}},
      {"cpu.focus.txt", {"cpu", "--focus", "Parse", "--bottom-up", "--from", "1s"}},
      {"cpu.native.txt", {"cpu", "--native", "--plumbing", "--thread", "*Worker", "--top", "0"}},
      {"info.txt", {"info"}}};
  return kReports;
}

// Cases about the garbage collector, likewise.
bool IsAboutGc(const std::string& name) { return name.starts_with("gc"); }

const std::vector<Report>& GcReports() {
  static const std::vector<Report> kReports = {
      {"gc.txt", {"gc"}},
      {"gc.json", {"gc", "--json"}},
      {"gc.part.txt", {"gc", "--from", "8s", "--to", "10s", "--top", "2"}},
      {"timeline.txt", {"timeline"}}};
  return kReports;
}

// Cases about allocations, likewise.
bool IsAboutAllocations(const std::string& name) { return name.starts_with("allocations"); }

const std::vector<Report>& AllocationReports() {
  static const std::vector<Report> kReports = {
      {"allocations.txt", {"allocations"}},
      {"allocations.json", {"allocations", "--json"}},
      {"allocations.bottom-up.txt", {"allocations", "--bottom-up", "--type", "String"}},
      {"allocations.large.txt", {"allocations", "--heap", "large", "--from", "4500ms"}},
      {"gc.txt", {"gc"}},
      {"timeline.txt", {"timeline"}},
      {"timeline.json", {"timeline", "--json", "--from", "4s", "--to", "6s"}}};
  return kReports;
}

// Cases whose summary is compared.
bool HasSummary(const std::string& name) {
  static const std::set<std::string> kNames = {
      "abrupt",    "allocations",     "counted",     "cpu",      "empty",  "fatal",
      "gc",        "locks",           "losses",      "standing", "simple", "two_files",
      "unhandled", "unhandled_cause", "locks_shared"};
  return kNames.contains(name);
}

const std::vector<Report>& Summaries() {
  static const std::vector<Report> kReports = {{"summary.txt", {"summary"}},
                                               {"summary.json", {"summary", "--json"}}};
  return kReports;
}

// Cases about requests, likewise.
bool IsAboutRequests(const std::string& name) { return name.starts_with("requests"); }

const std::vector<Report>& RequestReports() {
  static const std::vector<Report> kReports = {
      {"info.txt", {"info"}},
      {"info.json", {"info", "--json"}},
      {"timeline.txt", {"timeline"}},
      {"timeline.json", {"timeline", "--json", "--from", "2s", "--to", "5s"}},
      {"requests.txt", {"requests"}},
      {"requests.json", {"requests", "--json"}}};
  return kReports;
}

// Cases with events that were only counted, likewise.
bool IsAboutCounts(const std::string& name) { return name.starts_with("counted"); }

const std::vector<Report>& CountReports() {
  static const std::vector<Report> kReports = {
      {"info.txt", {"info"}}, {"info.json", {"info", "--json"}}, {"verify.txt", {"verify"}}};
  return kReports;
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(HINDSIGHT_GOLDEN_CASES)) {
    if (entry.path().extension() == ".textproto") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, ReportsAreAsExpected) {
  const fs::path base = fs::path(HINDSIGHT_GOLDEN_CASES) / GetParam();
  RecordingBuilder builder;
  builder.AddText(ReadFile(base.string() + ".textproto"));
  const TempDir folder;
  builder.WriteFolder(folder.path());

  std::vector<Report> reports = Reports();
  if (IsAboutWaits(GetParam())) {
    reports.insert(reports.end(), WaitReports().begin(), WaitReports().end());
  }
  if (IsAboutCounts(GetParam())) {
    reports.insert(reports.end(), CountReports().begin(), CountReports().end());
  }
  if (IsAboutCpu(GetParam())) {
    reports.insert(reports.end(), CpuReports().begin(), CpuReports().end());
  }
  if (IsAboutGc(GetParam())) {
    reports.insert(reports.end(), GcReports().begin(), GcReports().end());
  }
  if (IsAboutAllocations(GetParam())) {
    reports.insert(reports.end(), AllocationReports().begin(), AllocationReports().end());
  }
  if (HasSummary(GetParam())) {
    reports.insert(reports.end(), Summaries().begin(), Summaries().end());
  }
  if (IsAboutRequests(GetParam())) {
    reports.insert(reports.end(), RequestReports().begin(), RequestReports().end());
  }
  for (const Report& report : reports) {
    std::vector<std::string> command = {HINDSIGHT_BINARY};
    command.insert(command.end(), report.arguments.begin(), report.arguments.end());
    command.push_back(folder.path().string());
    const RunResult result = RunProgram(command);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    ExpectFile(base.string() + "." + report.suffix,
               WithoutFolder(result.out, folder.path(), "RECORDING"));
  }
}

// One concatenated file says the same as the folder.
TEST_P(Golden, ConcatenatedFilesSayTheSame) {
  const fs::path base = fs::path(HINDSIGHT_GOLDEN_CASES) / GetParam();
  RecordingBuilder builder;
  builder.AddText(ReadFile(base.string() + ".textproto"));
  const TempDir folder;
  WriteFile(folder / "packed.hsr", builder.Concatenated());
  const RunResult result = RunProgram({HINDSIGHT_BINARY, "exceptions", folder / "packed.hsr"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, ReadFile(base.string() + ".exceptions.txt"));
}

// A name with a space and characters outside any code page, for everything that creates or finds
// files.
TEST(GoldenNames, FilesMayHaveAnyName) {
  const TempDir folder;
  const fs::path recording = folder.path() / u8"L\u00e4den \u5546\u5e97.hindsight";
  RecordingBuilder builder;
  builder.AddText(ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / "simple.textproto"));
  builder.WriteFolder(recording);
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    const RunResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[1] << ": " << result.err;
    return result.out;
  };
  const std::string expected = ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / "simple.exceptions.txt");
  EXPECT_EQ(run({"exceptions", recording.string()}), expected);
  EXPECT_EQ(run({"exceptions", (recording / "").string()}), expected);
  EXPECT_NE(run({"list", folder.path().string()}).find(recording.filename().string()),
            std::string::npos);
  const auto made = [&folder](const char8_t* name) { return folder.path() / name; };
  const fs::path part = made(u8"St\u00fcck.hindsight");
  run({"cut", recording.string(), "--to", "1h", "--output", (part / "").string()});
  EXPECT_TRUE(fs::is_directory(part));
  run({"fleet", folder.path().string()});
  const fs::path database = made(u8"\u00dcbersicht.db"), tables = made(u8"\u00dcbersicht");
  run({"export", recording.string(), "--format", "sqlite", "--output", database.string()});
  EXPECT_NE(run({"sql", database.string(), "SELECT count(*) FROM recordings"}).find('1'),
            std::string::npos);
  run({"export", recording.string(), "--format", "csv", "--output", tables.string()});
  EXPECT_TRUE(fs::exists(tables / "recordings.csv"));
  const fs::path page = made(u8"\u00dcbersicht.html");
  run({"report", recording.string(), "--output", page.string()});
  run({"report", recording.string(), "--output", page.string()});  // takes the place of the first
  EXPECT_GT(fs::file_size(page), 1000u);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
