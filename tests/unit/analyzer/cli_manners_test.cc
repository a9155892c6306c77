// What `hindsight` does without a command, with the newest recording, and with long output.
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class MannersTest : public ::testing::Test {
 protected:
  MannersTest() : usual_(tmp_.path() / ("hindsight-" + std::to_string(getuid())) / "recordings") {
    fs::create_directories(usual_);
  }

  fs::path Add(const std::string& name) {
    RecordingBuilder builder;
    builder.AddText(ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / "cpu.textproto"));
    builder.WriteFolder((usual_ / name).string());
    return usual_ / name;
  }

  // With the default folder below tmp_.
  RunResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"env", "TMPDIR=" + tmp_.path().string(), HINDSIGHT_BINARY});
    return RunProgram(arguments);
  }

  // On a terminal of 24 lines, with PAGER=`pager`.
  std::string OnTerminal(const std::string& pager, const std::string& arguments) {
    const std::string command =
        "stty rows 24 cols 100; PAGER='" + pager + "' " + HINDSIGHT_BINARY + " " + arguments;
    return RunProgram({"env", "TMPDIR=" + tmp_.path().string(), "TERM=xterm", "script", "-qec",
                       command, "/dev/null"})
        .out;
  }

  const TempDir tmp_;
  const fs::path usual_;
};

TEST_F(MannersTest, ARecordingWithoutACommandIsSummarized) {
  const std::string path = Add("Shop-1-20261121T120129Z.hindsight").string();
  const RunResult summary = Run({"summary", path});
  EXPECT_EQ(summary.exit_code, 0) << summary.err;
  EXPECT_EQ(Run({path}).out, summary.out);
  EXPECT_EQ(Run({path, "--json"}).out, Run({"summary", path, "--json"}).out);
}

TEST_F(MannersTest, NothingAtAllIsTheNewestRecording) {
  const RunResult none = Run({});
  EXPECT_EQ(none.exit_code, 64);
  EXPECT_TRUE(Contains(none.err, "Getting started")) << none.err;
  Add("Shop-1-20261121T120129Z.hindsight");
  const std::string newest = Add("Shop-2-20261121T130000Z.hindsight").string();
  for (const RunResult& result : {Run({}), Run({"summary"}), Run({"summary", "--latest"})}) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "hindsight: the newest recording is " + newest + "\n");
    EXPECT_EQ(result.out.substr(0, 4), "Shop");
  }
  const RunResult cpu = Run({"cpu", "--latest"});
  EXPECT_EQ(cpu.exit_code, 0) << cpu.err;
  EXPECT_EQ(cpu.out, Run({"cpu", newest}).out);
  EXPECT_EQ(Run({"cpu", usual_.string(), "--latest"}).out, cpu.out);
}

TEST_F(MannersTest, CommandsThatTakeMoreThanARecordingTakeTheNewestToo) {
  const std::string first = Add("Shop-1-20261121T120129Z.hindsight").string();
  const std::string newest = Add("Shop-2-20261121T130000Z.hindsight").string();
  const char* const query = "SELECT pid FROM recordings";
  const RunResult asked = Run({"sql", newest, query});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(Run({"sql", "--latest", query}).out, asked.out);
  EXPECT_EQ(Run({"sql", usual_.string(), query, "--latest"}).out, asked.out);
  EXPECT_EQ(Run({"diff", first, "--latest"}).out, Run({"diff", first, newest}).out);

  const std::string page = (tmp_.path() / "page.html").string();
  const RunResult written = Run({"report", "--latest", "-o", page});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.err, "hindsight: the newest recording is " + newest + "\n");
  EXPECT_TRUE(fs::exists(page));
  EXPECT_EQ(Run({"report", first, newest, "--latest"}).exit_code, 64);
}

TEST_F(MannersTest, SummaryWithoutARecordingSaysWhereThereIsNone) {
  const RunResult result = Run({"summary"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.err, "hindsight: There is no recording in " + usual_.string() +
                            ". Give a recording, or a folder of recordings.\n");
}

TEST_F(MannersTest, AFolderOfSeveralRecordingsIsListedTheNewestFirst) {
  const std::string first = Add("Shop-1-20261121T120129Z.hindsight").string();
  const std::string second = Add("Abc-2-20261121T130000Z.hindsight").string();
  const RunResult result = Run({"cpu", usual_.string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "hindsight: " + usual_.string() +
                            " contains 2 recordings; give one of them, or --latest for the "
                            "newest:\n  " +
                            second + "\n  " + first + "\n");
}

TEST_F(MannersTest, TheOnlyRecordingInAFolderNeedNotBeNamed) {
  const std::string only = Add("Shop-1-20261121T120129Z.hindsight").string();
  const std::string query = "SELECT count(*) FROM recordings";
  for (const std::string command : {"summary", "cpu", "verify"}) {
    EXPECT_EQ(Run({command, usual_.string()}).out, Run({command, only}).out) << command;
  }
  EXPECT_EQ(Run({"sql", usual_.string(), query}).out, Run({"sql", only, query}).out);
  EXPECT_EQ(Run({"diff", only, usual_.string()}).out, Run({"diff", only, only}).out);
}

TEST_F(MannersTest, ListShowsTheUsualFolderOrAnother) {
  Add("Shop-1-20261121T120129Z.hindsight");
  const RunResult usual = Run({"list"});
  EXPECT_EQ(usual.exit_code, 0) << usual.err;
  EXPECT_TRUE(Contains(usual.out, "1 recording in " + usual_.string())) << usual.out;
  EXPECT_TRUE(Contains(usual.out, "2026-11-21 12:01:29  Shop")) << usual.out;
  EXPECT_EQ(Run({"list", usual_.string()}).out, usual.out);
  EXPECT_TRUE(Contains(Run({"list", "--json"}).out, "\"pid\": 1"));
  EXPECT_EQ(Run({"list", tmp_.path().string()}).out,
            "There is no recording in " + tmp_.path().string() + ".\n");
  EXPECT_EQ(Run({"list", (tmp_.path() / "absent").string()}).exit_code, 2);
}

TEST_F(MannersTest, LongOutputOnATerminalGoesThroughThePager) {
  Add("Shop-1-20261121T120129Z.hindsight");
  const std::string pager = "echo paged; cat >/dev/null";
  const std::string paged = OnTerminal(pager, "cpu --latest");
  EXPECT_TRUE(Contains(paged, "paged")) << paged;
  EXPECT_FALSE(Contains(paged, "Call tree")) << paged;
  for (const std::string& direct :
       {OnTerminal(pager, "--no-pager cpu --latest"), OnTerminal("cat", "cpu --latest"),
        OnTerminal("/absent/pager", "cpu --latest")}) {
    EXPECT_TRUE(Contains(direct, "Call tree")) << direct;
    EXPECT_FALSE(Contains(direct, "paged")) << direct;
  }
  // It fits.
  EXPECT_TRUE(Contains(OnTerminal(pager, "list"), "1 recording")) << OnTerminal(pager, "list");
  // Colours and width are those of the terminal.
  EXPECT_TRUE(Contains(OnTerminal("cat -v >&2; true", "cpu --latest"), "^[[1m"));
}

TEST_F(MannersTest, NothingIsCutInAPipe) {
  const std::string path = Add("Shop-1-20261121T120129Z.hindsight").string();
  for (const char* command : {"summary", "cpu", "exceptions", "threads", "timeline"}) {
    EXPECT_FALSE(Contains(Run({command, path}).out, "…")) << command;
  }
}

TEST_F(MannersTest, TimesAreReadInAllSpellings) {
  const std::string path = Add("Shop-1-20261121T120129Z.hindsight").string();
  const std::string all = Run({"cpu", path, "--from", "1s", "--to", "90s"}).out;
  for (const std::vector<std::string>& times :
       std::vector<std::vector<std::string>>{{"1", "90"}, {"1000ms", "1m30s"}, {"1.0", "1.5m"}}) {
    EXPECT_EQ(Run({"cpu", path, "--from", times[0], "--to", times[1]}).out, all) << times[1];
  }
  const RunResult wrong = Run({"cpu", path, "--from", "soon"});
  EXPECT_EQ(wrong.exit_code, 64);
  EXPECT_TRUE(Contains(wrong.err, "--from must be a time such as 500ms, 10s or 1m30s, got 'soon'."))
      << wrong.err;
}

}  // namespace
}  // namespace hindsight::testing
