// What is written from a description: help and manual pages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/cli/help.h"
#include "analyzer/cli/man_page.h"

namespace hindsight::cli {
namespace {

class HelpTest : public ::testing::Test {
 protected:
  HelpTest() {
    program_.name = "tool";
    program_.summary = "does things";
    program_.version = "1.2";
    program_.first_steps = {{"tool work x", "works on x"}};
    program_.exit_codes = {{"0", "done"}, {"64", "usage error"}};
    Command& work = program_.Add("First", "work", "What is done");
    work.Argument("THING", things_, "What it is done to");
    work.Value("--top", "N", top_, "Rows to show; 0: all");
    work.Value("--output", "FILE", output_, "The file to write").Letter('o').Required();
    work.Value("--label", "TEXT", labels_, ".Begins with a dot, has a \\ and a \"");
    work.Flag("--json", json_, "Print JSON");
    work.Example("tool work x -o y", "work on x");
    work.SeeAlso({"tool rest"});
    program_.Add("Second", "rest", "Nothing is done");
  }

  static bool Contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  std::vector<std::string> things_, labels_;
  std::string output_;
  size_t top_ = 10;
  bool json_ = false;
  Program program_;
};

TEST_F(HelpTest, ACommandsHelpHasUsageOptionsAndExamples) {
  EXPECT_EQ(CommandHelp(program_, *program_.Find("work"), {}),
            "What is done\n"
            "\n"
            "Usage: tool work [OPTIONS] --output FILE THING...\n"
            "\n"
            "  THING...  What it is done to\n"
            "\n"
            "Options\n"
            "  --top N            Rows to show; 0: all (default: 10)\n"
            "  -o, --output FILE  The file to write\n"
            "  --label TEXT       .Begins with a dot, has a \\ and a \"; may be repeated\n"
            "  --json             Print JSON\n"
            "  -h, --help         Print this help\n"
            "\n"
            "Examples\n"
            "  tool work x -o y\n"
            "      work on x\n"
            "\n"
            "See also: tool rest\n");
}

TEST_F(HelpTest, TheProgramsHelpBeginsWithWhatToTypeFirst) {
  const std::string help = ProgramHelp(program_, {});
  EXPECT_TRUE(help.starts_with(
      "tool: does things\n\nGetting started\n  tool work x\n      works on x\n\nFirst\n  work  "
      "What is "
      "done\n\nSecond\n  rest  Nothing is done\n\nExit codes\n  0   done\n  64  usage error\n"))
      << help;
}

TEST_F(HelpTest, HelpFitsTheTerminal) {
  for (const size_t columns : {50, 80}) {
    const std::string help = ProgramHelp(program_, {.columns = columns});
    for (size_t begin = 0; begin < help.size();) {
      const size_t end = help.find('\n', begin);
      EXPECT_LE(end - begin, columns) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST_F(HelpTest, HeadingsAreBoldWhereColoursAre) {
  EXPECT_TRUE(Contains(ProgramHelp(program_, {.bold = true}), "\x1b[1mFirst\x1b[0m\n"));
  EXPECT_FALSE(Contains(ProgramHelp(program_, {}), "\x1b"));
}

TEST_F(HelpTest, TextInAManualPageIsNoRequest) {
  const std::string page = CommandManPage(program_, *program_.Find("work"));
  EXPECT_TRUE(Contains(page, ".TH \"TOOL\\-WORK\" 1")) << page;
  EXPECT_TRUE(Contains(page, "\n\\&.Begins with a dot, has a \\e and a \\(dq")) << page;
  EXPECT_TRUE(Contains(page, ".SH EXIT CODES\n.TP\n.B \"0\"\ndone\n")) << page;
  EXPECT_TRUE(Contains(page, ".BR tool (1),\n.BR tool\\-rest (1)\n")) << page;
}

}  // namespace
}  // namespace hindsight::cli
