// Arguments to values, and messages about wrong ones.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/parse.h"

namespace hindsight::cli {
namespace {

class ParseTest : public ::testing::Test {
 protected:
  ParseTest() {
    command_.Argument("RECORDING", paths_, "Folder or files");
    command_.Value("--top", "N", top_, "Rows");
    command_.Value("--output", "FILE", output_, "The file").Letter('o');
    command_.Value("--heap", "HEAP", heap_, "Of this heap").Choices({"small", "large", "pinned"});
    command_.Value("--snapshot", "N", snapshot_, "Its number").Needs("--retained");
    command_.Value("--numbers", "N,N", numbers_, "Numbers").Separator(',');
    command_.Value("--min-share", "PERCENT", share_, "Share").Range(0, 100);
    command_.Duration(
        "--wait", "How long", 1'000'000, 3'600'000'000'000, [this](uint64_t ns) { wait_ns_ = ns; },
        "no limit");
    command_.Size("--bytes", bytes_, "At least");
    command_.Flag("--json", json_, "Print JSON");
    command_.Flag("--retained", retained_, "What is held").Excludes("--heap");
  }

  // Empty: no error.
  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const ParseResult result = Parse(command_, arguments);
    EXPECT_EQ(result.what == Parsed::kError, !result.error.empty());
    return result.error;
  }

  std::vector<std::string> paths_;
  size_t top_ = 10;
  std::string output_, heap_;
  std::optional<uint32_t> snapshot_;
  std::vector<uint32_t> numbers_;
  double share_ = 1;
  bool json_ = false, retained_ = false;
  uint64_t wait_ns_ = 0, bytes_ = 4096;
  Command command_{"cpu", "What used the processors"};
};

TEST_F(ParseTest, TakesOptionsAndArgumentsInAnyOrder) {
  EXPECT_EQ(ErrorOf({"--top", "3", "a", "--json", "b", "-o", "x", "--min-share=2.5"}), "");
  EXPECT_EQ(paths_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(top_, 3u);
  EXPECT_EQ(output_, "x");
  EXPECT_EQ(share_, 2.5);
  EXPECT_TRUE(json_);
  EXPECT_FALSE(retained_);
}

TEST_F(ParseTest, TakesValuesThatAreAttached) {
  EXPECT_EQ(ErrorOf({"a", "-ofile", "--numbers", "1,3", "--numbers=7"}), "");
  EXPECT_EQ(output_, "file");
  EXPECT_EQ(numbers_, (std::vector<uint32_t>{1, 3, 7}));
  EXPECT_EQ(ErrorOf({"a", "--output=", "--heap=large"}), "");
  EXPECT_EQ(output_, "");
  EXPECT_EQ(ErrorOf({"--output=", "[a,b]", "--output", "-", "--output=--json", "--json"}), "");
  EXPECT_EQ(paths_.back(), "[a,b]");
  EXPECT_EQ(output_, "--json");
}

TEST_F(ParseTest, BehindDashesAllAreArguments) {
  EXPECT_EQ(ErrorOf({"--", "--json", "-o"}), "");
  EXPECT_EQ(paths_, (std::vector<std::string>{"--json", "-o"}));
  EXPECT_FALSE(json_);
}

TEST_F(ParseTest, ASingleDashIsAnArgument) {
  EXPECT_EQ(ErrorOf({"-"}), "");
  EXPECT_EQ(paths_, (std::vector<std::string>{"-"}));
}

TEST_F(ParseTest, HelpIsForWhoeverAsks) {
  EXPECT_EQ(Parse(command_, std::vector<std::string>{"--top", "3", "-h"}).what, Parsed::kHelp);
  EXPECT_EQ(Parse(command_, std::vector<std::string>{"--help"}).what, Parsed::kHelp);
  EXPECT_EQ(Parse(command_, std::vector<std::string>{"-h", "--foo", "--top"}).what, Parsed::kHelp);
}

TEST_F(ParseTest, UnknownOptionsAreCalledSoAndNearOnesNamed) {
  EXPECT_EQ(ErrorOf({"a", "--jsn"}), "Unknown option '--jsn'. Did you mean --json?");
  EXPECT_EQ(ErrorOf({"a", "--ouptut=x"}), "Unknown option '--ouptut'. Did you mean --output?");
  EXPECT_EQ(ErrorOf({"a", "--snap"}), "Unknown option '--snap'. Did you mean --snapshot?");
  EXPECT_EQ(ErrorOf({"a", "--nonsense"}), "Unknown option '--nonsense'.");
  EXPECT_EQ(ErrorOf({"a", "-x"}), "Unknown option '-x'.");
  EXPECT_EQ(ErrorOf({"a", "-5"}), "Unknown option '-5'.");
  EXPECT_EQ(ErrorOf({"--snapshot", "1", "--retaind"}),
            "Unknown option '--retaind'. Did you mean --retained?");
  EXPECT_EQ(ErrorOf({"a", "--\x1b[2J"}), "Unknown option '--\\x1b[2J'.");
}

TEST_F(ParseTest, WrongValuesAreShownWithWhatIsWrong) {
  EXPECT_EQ(ErrorOf({"a", "--top", "many"}),
            "--top must be a whole number, 0 or more, got 'many'.");
  EXPECT_EQ(ErrorOf({"a", "--top=-1"}), "--top must be a whole number, 0 or more, got '-1'.");
  EXPECT_EQ(ErrorOf({"a", "--top", "3x"}), "--top must be a whole number, 0 or more, got '3x'.");
  EXPECT_EQ(ErrorOf({"a", "--top", "99999999999999999999"}),
            "--top must be a smaller number, got '99999999999999999999'.");
  EXPECT_EQ(ErrorOf({"a", "--min-share", "101"}),
            "--min-share must be between 0 and 100, got '101'.");
  EXPECT_EQ(ErrorOf({"a", "--min-share", "nan"}), "--min-share must be a number, got 'nan'.");
  EXPECT_EQ(ErrorOf({"a", "--heap", "huge"}),
            "--heap must be one of small, large or pinned, got 'huge'.");
  EXPECT_EQ(ErrorOf({"a", "--numbers", "1,,2"}),
            "--numbers must be a whole number, 0 or more, got '1,,2'.");
}

TEST_F(ParseTest, AValueThatIsMissingIsNotTakenFromTheNextOption) {
  EXPECT_EQ(ErrorOf({"a", "--top"}), "--top needs a value: --top N.");
  EXPECT_EQ(ErrorOf({"a", "-o"}), "--output needs a value: --output FILE.");
  EXPECT_EQ(ErrorOf({"a", "--output", "--json"}),
            "--output needs a value, and '--json' looks like an option; write --output='--json' if "
            "it is the value.");
  EXPECT_EQ(ErrorOf({"a", "--json=yes"}), "--json takes no value.");
}

TEST_F(ParseTest, TimesAndSizesAreReadInTheUsualSpellings) {
  const std::pair<const char*, uint64_t> times[] = {{"30", 30'000'000'000},
                                                    {"30s", 30'000'000'000},
                                                    {"1m30s", 90'000'000'000},
                                                    {"0.5h", 1'800'000'000'000},
                                                    {"250ms", 250'000'000}};
  for (const auto& [text, ns] : times) {
    EXPECT_EQ(ErrorOf({"a", "--wait", text}), "");
    EXPECT_EQ(wait_ns_, ns) << text;
  }
  const std::pair<const char*, uint64_t> sizes[] = {
      {"4096", 4096}, {"1MB", 1'000'000}, {"1MiB", 1 << 20}, {"1.5k", 1536}, {"2 GiB", 2ull << 30}};
  for (const auto& [text, bytes] : sizes) {
    EXPECT_EQ(ErrorOf({"a", "--bytes", text}), "");
    EXPECT_EQ(bytes_, bytes) << text;
  }
  EXPECT_EQ(ErrorOf({"a", "--wait", "soon"}),
            "--wait must be a time such as 500ms, 30s or 1m30s, got 'soon'.");
  EXPECT_EQ(ErrorOf({"a", "--wait", "2h"}),
            "--wait must be between 1.0 ms and 1 h 00 m, got '2h'.");
  EXPECT_EQ(ErrorOf({"a", "--bytes", "much"}),
            "--bytes must be a size such as 4096, 500KB or 1MiB, got 'much'.");
}

TEST_F(ParseTest, WhatAFlagReplacesIsNotRequired) {
  bool is_latest = false;
  std::vector<std::string> paths;
  Command command("gc", "Collections");
  command.Flag("--latest", is_latest, "The newest");
  command.Argument("RECORDING", paths, "Folder").Unless("--latest");
  EXPECT_EQ(Parse(command, std::vector<std::string>{}).error, "gc needs RECORDING or --latest.");
  EXPECT_EQ(Parse(command, std::vector<std::string>{"--latest"}).error, "");
  EXPECT_TRUE(is_latest);
  EXPECT_TRUE(paths.empty());
}

TEST_F(ParseTest, WhatDoesNotGoTogetherIsSaid) {
  EXPECT_EQ(ErrorOf({"--json"}), "cpu needs RECORDING.");
  EXPECT_EQ(ErrorOf({"a", "--retained", "--heap", "small"}),
            "--heap and --retained cannot be combined.");
  EXPECT_EQ(ErrorOf({"a", "--snapshot", "1"}), "--snapshot needs --retained.");
  EXPECT_EQ(ErrorOf({"a", "--json", "--json", "--top", "1", "--top=2"}), "");
  EXPECT_EQ(top_, 2u);
}

TEST(Arguments, EachTakesOneAndTheRepeatableOneTheRest) {
  const auto parse = [](const std::vector<std::string>& arguments) {
    std::string first, last;
    std::vector<std::string> rest;
    Command command("sql", "Ask");
    command.Argument("FIRST", first, "One");
    command.Argument("REST", rest, "Many");
    command.Argument("LAST", last, "One").Required(false);
    const std::string error = Parse(command, arguments).error;
    std::string text = error.empty() ? first + ":" : error;
    if (!error.empty()) return text;
    for (const std::string& path : rest) text += path + ",";
    return text + ":" + last;
  };
  EXPECT_EQ(parse({"a", "b", "c", "d"}), "a:b,c,:d");
  EXPECT_EQ(parse({"a", "b"}), "a:b,:");
  EXPECT_EQ(parse({"a"}), "sql needs REST.");
}

TEST(Arguments, AnOptionMayBeRequired) {
  std::string format;
  Command command("export", "Export");
  command.Value("--format", "FORMAT", format, "The format").Required();
  EXPECT_EQ(Parse(command, {}).error, "--format FORMAT is required.");
}

TEST(Arguments, OneTooManyIsNamed) {
  std::string only;
  Command command("help", "Help");
  command.Argument("COMMAND", only, "One").Required(false);
  EXPECT_EQ(Parse(command, std::vector<std::string>{"a", "b"}).error,
            "'b' is one argument too many.");
}

TEST(Arguments, WhatStandsBehindDashesIsLeftAsItIs) {
  bool json = false;
  std::vector<std::string> launched;
  Command command("launch", "Launch");
  command.Flag("--json", json, "Print JSON");
  command.Argument("COMMAND", launched, "The command").BehindDashes().Required(false);
  EXPECT_EQ(
      Parse(command, std::vector<std::string>{"--json", "--", "dotnet", "--help", "--"}).error, "");
  EXPECT_EQ(launched, (std::vector<std::string>{"dotnet", "--help", "--"}));
  EXPECT_EQ(Parse(command, std::vector<std::string>{"dotnet"}).error,
            "Write COMMAND behind two dashes: -- 'dotnet'");
}

TEST(Nearest, ForgivesMoreInLongerWords) {
  const std::vector<std::string> names = {"cpu", "gc", "exceptions", "export", "heap", "leaks"};
  EXPECT_EQ(Nearest("exception", names), "exceptions");
  EXPECT_EQ(Nearest("excpetions", names), "exceptions");
  EXPECT_EQ(Nearest("heep", names), "heap");
  EXPECT_EQ(Nearest("pcu", names), "cpu");
  EXPECT_EQ(Nearest("leak", names), "leaks");
  EXPECT_EQ(Nearest("threads", names), "");
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest(std::string(1000, 'x'), names), "");
}

}  // namespace
}  // namespace hindsight::cli
