// Budgets on a process whose exceptions are known: kept ones pass, broken ones fail, and an XML
// parser reads which.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

class CheckTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> launch = {"launch",   "--profiler",     HINDSIGHT_RECORDER,
                                       "--output", output_.string(), "--"};
    const std::vector<std::string> storm = Storm(10, {"--scale", "1"});
    launch.insert(launch.end(), storm.begin(), storm.end());
    const Ended ended = Trigger(launch, workspace_.path());
    ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
    ASSERT_EQ(RecordingsIn(output_).size(), 1u);
    recording_ = RecordingsIn(output_).front();
  }

  std::vector<std::string> With(const std::string& budgets) {
    WriteFile(workspace_ / "budgets.toml", budgets);
    return {"--budget", workspace_ / "budgets.toml"};
  }

  Workspace workspace_;
  const std::filesystem::path output_ = workspace_ / "out";
  std::filesystem::path recording_;
};

TEST_F(CheckTest, PassesWhatIsKept) {
  const Ended ended = Hindsight("check", recording_,
                                With("[budgets]\n"
                                     "deep = \"exceptions of type DeepException = 3\"\n"
                                     "losses = \"losses = 0\"\n"
                                     "survived = \"unhandled exceptions = 0\"\n"
                                     "cpu = { rule = \"cpu < 1000 cores\", optional = true }\n"));
  EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
}

TEST_F(CheckTest, FailsWhatIsBroken) {
  const std::filesystem::path xml = workspace_ / "verdicts.xml";
  std::vector<std::string> arguments = With(
      "[budgets]\n"
      "\"no <deep> exceptions\" = \"exceptions of type DeepException = 0\"\n"
      "memory = \"retained of type ExceptionStorm.* < 50 MB\"\n"
      "losses = \"losses = 0\"\n");
  arguments.insert(arguments.end(), {"--junit", xml, "--json"});
  const Ended ended = Hindsight("check", recording_, arguments);
  EXPECT_EQ(ended.exit_code, 1) << ended.Describe();

  const nlohmann::json said = nlohmann::json::parse(ended.output);
  EXPECT_EQ(said.at("passed"), false);
  EXPECT_EQ(said.at("budgets").at(0).at("state"), "broken");
  EXPECT_EQ(said.at("budgets").at(0).at("measured"), 3);
  EXPECT_EQ(said.at("budgets").at(0).at("subject"), "ExceptionStorm.DeepException");
  EXPECT_EQ(said.at("budgets").at(1).at("state"), "broken");  // no snapshot was taken
  EXPECT_EQ(said.at("budgets").at(1).at("measured"), nullptr);
  EXPECT_EQ(said.at("budgets").at(2).at("state"), "kept");

  const Ended names =
      RunToEnd({.arguments = {"xmllint", "--nonet", "--xpath",
                              "concat(//testcase[failure][1]/@name, '|', count(//failure), '|', "
                              "//testcase[not(failure)]/@name)",
                              xml}});
  EXPECT_EQ(names.output, "no <deep> exceptions|2|losses\n") << names.Describe();
}

TEST_F(CheckTest, ComparesWithItselfAsABaseline) {
  std::vector<std::string> arguments = With(
      "[budgets]\n"
      "same = \"exceptions of type * <= baseline\"\n"
      "steady = \"differences worse = 0\"\n");
  arguments.insert(arguments.end(), {"--baseline", recording_});
  const Ended ended = Hindsight("check", recording_, arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
}

}  // namespace
}  // namespace hindsight::live
