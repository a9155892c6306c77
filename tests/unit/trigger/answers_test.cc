// What the trigger prints with --json is what `hindsight-trigger schema` says.
#include "trigger/answers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_validator.h"

namespace hindsight::trigger {
namespace {

using Json = nlohmann::json;

Json Checked(std::string_view command, const std::string& text) {
  const Json json = Json::parse(text);
  for (const std::string& error : JsonValidator(Json::parse(AnswerSchema(command))).Errors(json)) {
    ADD_FAILURE() << command << ' ' << error;
  }
  return json;
}

contract::Reply ReplyOf(std::vector<std::pair<std::string, std::string>> fields) {
  contract::Reply reply;
  reply.fields = std::move(fields);
  return reply;
}

TEST(Answers, AStatusHasNumbersAndOnlyTheKeysThatAreThere) {
  const contract::Reply reply = ReplyOf({{"state", "recording"},
                                         {"mode", "attach"},
                                         {"output", "/tmp/4242"},
                                         {"elapsed_ns", "18446744073709551615"},
                                         {"remaining_ns", "7"},
                                         {"last_error", ""},
                                         {"version", "1.0"}});
  const Json json = Checked("status", StatusJson({4242, &reply}));
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["pid"], 4242);
  EXPECT_EQ(json["status"]["output"], "/tmp/4242");
  EXPECT_EQ(json["status"]["elapsed_ns"], UINT64_MAX);
  EXPECT_EQ(json["status"]["remaining_ns"], 7);
  EXPECT_FALSE(json["status"].contains("last_error"));
  EXPECT_FALSE(json["status"].contains("survivor_handles"));
}

TEST(Answers, AnotherProfilerHasNoStatus) {
  EXPECT_FALSE(Checked("attach", StatusJson({4242, nullptr})).contains("status"));
}

TEST(Answers, AreAsDescribed) {
  const contract::Reply closed = ReplyOf({{"output", "/tmp/4242"}, {"events", "12"}});
  EXPECT_EQ(Checked("stop", StopJson({1, &closed}))["recording"]["events"], 12);
  const contract::Reply taken =
      ReplyOf({{"snapshot", "3"}, {"state", "incomplete"}, {"reason", "why"}, {"pause_ns", "5"}});
  const Json snapshot = Checked("snapshot", SnapshotJson({{1, &taken}, false}));
  EXPECT_EQ(snapshot["ok"], false);
  EXPECT_EQ(snapshot["snapshot"]["reason"], "why");
  const Json kept = Checked("keep", KeepJson({1, {"/tmp/copy", 2, 300}, 4}));
  EXPECT_EQ(kept["kept"],
            (Json{{"path", "/tmp/copy"}, {"files", 2}, {"snapshots", 4}, {"bytes", 300}}));
  EXPECT_EQ(Checked("pull", PullJson({1, {{"a", 0, 0}, {"b", 1, 2}}}))["recordings"].size(), 2u);
  const std::vector<ListedProcess> processes = {{1, "me", "10.0.1", "no", "\xff\x1b", ""}};
  EXPECT_EQ(Checked("list", ListJson(processes))[0]["command"], "\xef\xbf\xbd\x1b");
  EXPECT_EQ(Checked("sources", SourcesJson(contract::Catalogue())).size(), contract::kSourceCount);
  EXPECT_GT(Checked("exit-codes", ExitCodesJson()).size(), 50u);
}

TEST(Answers, AFailureIsAnAnswerOfEachCommandThatMayFail) {
  const std::string failure = FailureJson({TriggerExit::kNotDotnet, "It is not.", ""});
  for (const std::string& command : DescribedCommands()) {
    if (command == "list" || command == "sources" || command == "exit-codes") continue;
    EXPECT_EQ(Checked(command, failure)["exit_code"], 11);
  }
}

}  // namespace
}  // namespace hindsight::trigger
