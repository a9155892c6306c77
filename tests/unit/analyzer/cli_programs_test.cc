// The command lines of `hindsight` and `hindsight-trigger` as a user sees them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunResult Shell(const std::string& script, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> command = {"bash", "-c", script, "bash"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command);
}

class ProgramTest : public ::testing::TestWithParam<const char*> {
 protected:
  ProgramTest() {
    program_ = std::filesystem::path(GetParam()).filename();
    EXPECT_EQ(RunProgram({GetParam(), "man", "--output", pages_.path()}).exit_code, 0);
    const std::string prefix = program_ + "-";
    for (const auto& page : std::filesystem::directory_iterator(pages_.path())) {
      const std::string name = page.path().stem();
      if (name.starts_with(prefix)) commands_.push_back(name.substr(prefix.size()));
    }
    std::sort(commands_.begin(), commands_.end());
    EXPECT_GT(commands_.size(), 5u);
  }

  RunResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), GetParam());
    return RunProgram(arguments);
  }

  const TempDir pages_;
  std::string program_;
  std::vector<std::string> commands_;
};

TEST_P(ProgramTest, EachCommandHasHelpWithUsageAndExamples) {
  const std::string overview = Run({"--help"}).out;
  for (const std::string& command : commands_) {
    EXPECT_TRUE(Contains(overview, "\n  " + command + " ")) << command;
    const RunResult help = Run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_TRUE(Contains(help.out, "\nUsage: " + program_ + " " + command)) << help.out;
    EXPECT_TRUE(Contains(help.out, "\nExamples\n  ")) << help.out;
    EXPECT_EQ(Run({"help", command}).out, help.out);
  }
}

// An example that the program does not accept would be worse than none.
TEST_P(ProgramTest, OptionsInExamplesExist) {
  for (const std::string& command : commands_) {
    const std::string help = Run({command, "--help"}).out;
    const std::string examples = help.substr(help.find("\nExamples\n"));
    const std::string options = help.substr(0, help.size() - examples.size());
    const std::string own = "  " + program_ + " " + command + " ";
    for (size_t at = examples.find(own); at != std::string::npos; at = examples.find(own, at + 1)) {
      std::string line = examples.substr(at, examples.find('\n', at) - at);
      line = line.substr(0, line.find(" -- ")) + " ";
      for (size_t dash = line.find(" --"); dash != std::string::npos;
           dash = line.find(" --", dash + 1)) {
        const std::string option = line.substr(dash, line.find_first_of(" =", dash + 1) - dash);
        EXPECT_TRUE(Contains(options, option + " ") || Contains(options, option + "\n"))
            << command << ":" << option;
      }
    }
  }
}

TEST_P(ProgramTest, WhatAnswersAnswersInJsonAsWell) {
  // These write files, or texts for other programs, or only run.
  const std::set<std::string> others = {"completion", "copy-library", "cut",    "export",
                                        "help",       "idle",         "launch", "man",
                                        "report",     "schema",       "serve"};
  for (const std::string& command : commands_) {
    const bool has_json = Contains(Run({command, "--help"}).out, "\n  --json ");
    EXPECT_EQ(has_json, !others.contains(command)) << command;
    if (has_json && program_ == "hindsight") {
      EXPECT_EQ(Run({"schema", command}).exit_code, 0) << command;
    }
  }
}

TEST_P(ProgramTest, ManualPagesAreWithoutWarnings) {
  for (const auto& page : std::filesystem::directory_iterator(pages_.path())) {
    const RunResult groff =
        RunProgram({"groff", "-man", "-ww", "-Tutf8", "-K", "utf8", "-z", page.path()});
    EXPECT_EQ(groff.exit_code, 0) << page.path();
    EXPECT_EQ(groff.err, "") << page.path();
    // Manual pages generated from descriptions have a version instead of a date.
    const RunResult mandoc =
        Shell("mandoc -Tlint -Wwarning \"$1\" | grep -v 'missing date'", {page.path()});
    EXPECT_EQ(mandoc.out, "") << page.path();
  }
}

TEST_P(ProgramTest, ThePageOfOneCommandIsThatWhichIsInstalled) {
  const std::string command = commands_.front();
  EXPECT_EQ(Run({"man", command}).out, ReadFile(pages_ / (program_ + "-" + command + ".1")));
}

TEST_P(ProgramTest, AMisspeltCommandIsCalledUnknownWithTheNearestOne) {
  const RunResult result = Run({"hlep"});
  EXPECT_EQ(result.exit_code, 64);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, program_ + ": Unknown command 'hlep'. Did you mean help? See " + program_ +
                            " --help.\n");
  // In a folder without recordings.
  const RunResult alone = RunProgram({"env", "TMPDIR=" + pages_.path().string(), GetParam()});
  EXPECT_EQ(alone.exit_code, 64);
  EXPECT_EQ(alone.out, "");
  EXPECT_TRUE(Contains(alone.err, "\nGetting started\n  " + program_)) << alone.err;
  const RunResult option = Run({"--jsno"});
  EXPECT_EQ(option.exit_code, 64);
  EXPECT_TRUE(Contains(option.err, "Expected a command, got '--jsno'")) << option.err;
}

TEST_P(ProgramTest, WhoReadsNoFurtherMissesNothing) {
  // SIGPIPE is ignored, as it is in services and by some languages' libraries.
  const RunResult result =
      Shell("exec 3> >(:); wait $!; trap '' PIPE; \"$1\" --help >&3", {GetParam()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

TEST_P(ProgramTest, ColoursAreForTerminalsThatWantThem) {
  struct Row {
    const char* environment;
    bool colours;
  };
  const Row rows[] = {
      {"TERM=xterm", true},
      {"TERM=xterm NO_COLOR=1", false},
      {"TERM=xterm NO_COLOR=", true},
      {"TERM=dumb", false},
      {"TERM=", false},
      {"TERM=xterm CLICOLOR=0", false},
      {"TERM=xterm CLICOLOR=1", true},
      {"TERM=xterm NO_COLOR=1 CLICOLOR_FORCE=1", false},
  };
  for (const Row& row : rows) {
    const std::string command = std::string("env -u NO_COLOR -u CLICOLOR -u CLICOLOR_FORCE ") +
                                row.environment + " " + GetParam() + " --help";
    const RunResult on_terminal = RunProgram({"script", "-qec", command, "/dev/null"});
    EXPECT_EQ(Contains(on_terminal.out, "\x1b["), row.colours) << row.environment;
    EXPECT_FALSE(Contains(Shell(command).out, "\x1b[")) << row.environment;
  }
  EXPECT_TRUE(
      Contains(Shell(std::string("env -u NO_COLOR CLICOLOR_FORCE=1 ") + GetParam() + " --help").out,
               "\x1b["));
}

INSTANTIATE_TEST_SUITE_P(Programs, ProgramTest,
                         ::testing::Values(HINDSIGHT_BINARY, HINDSIGHT_TRIGGER),
                         [](const auto& test) {
                           return std::string(test.param).ends_with("trigger") ? "Trigger"
                                                                               : "Analyzer";
                         });

}  // namespace
}  // namespace hindsight::testing
