// Rules (`when=`) in a real process: what the recorder does by itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LiveRules : public testing::TestWithParam<int> {};

std::vector<std::string> RulesOf(const json& timeline) {
  std::vector<std::string> rules;
  for (const json& moment : timeline.at("moments")) {
    const std::string what = moment.at("what");
    if (what.starts_with("rule ")) rules.push_back(what.substr(5));
  }
  return rules;
}

TEST_P(LiveRules, ActOnceTheyHold) {
  const Workspace out;
  const Ended ended =
      RunToEnd({.arguments = Storm(GetParam(), {"--rounds", "100", "--every", "50"}),
                .environment = StartUp(out.path(),
                                       "when=exceptions/s>20/1s:snapshot;when=memory>10MiB:threads;"
                                       "when=memory>99%:mark;rules.most=1")});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  ASSERT_EQ(recordings.size(), 1u);

  std::vector<std::string> rules = RulesOf(HindsightJson("timeline", recordings[0]));
  std::ranges::sort(rules);
  EXPECT_EQ(rules,
            (std::vector<std::string>{"exceptions/s>20/1s:snapshot", "memory>10MiB:threads"}));
  std::string notes;
  const json info = HindsightJson("info", recordings[0]);
  for (const json& note : info.at("notes")) notes += std::string(note) + '\n';
  EXPECT_NE(notes.find(" exceptions/s over 1 s. Started heap snapshot 1."), std::string::npos)
      << notes;
  EXPECT_NE(notes.find(". Took thread snapshot "), std::string::npos) << notes;
  EXPECT_TRUE(Hindsight("leaks", recordings[0]).Succeeded());
}

INSTANTIATE_TEST_SUITE_P(Net, LiveRules, testing::Values(8, 9, 10),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
