// What the explorer requests from the trigger: with which arguments, for which process, and what it
// makes of the output. The trigger is a script here, which records how it was called.
#include "analyzer/serve/processes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/base/tool.h"
#include "tests/support/recording_builder.h"

namespace hindsight::analyzer {
namespace {

using nlohmann::json;

class ServeProcesses : public ::testing::Test {
 protected:
  // `body`: of a shell script; its arguments are in $calls, one word per line.
  std::string Script(const std::string& body) {
    const std::string path = folder_ / "hindsight-trigger";
    testing::WriteFile(path, "#!/bin/sh\ncalls='" + Calls() +
                                 "'\nprintf '%s\\n' \"$@\" >\"$calls\"\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string Calls() const { return folder_ / "calls"; }

  // Lists the processes 41 and 42.
  std::unique_ptr<Processes> Listed(const std::string& body) {
    auto processes = std::make_unique<Processes>(
        Script("[ $1 = list ] && { echo '[{\"pid\": 41, \"recorded\": \"no\"}, "
               "{\"pid\": 42}]'; exit 0; }\n" +
               body),
        "/served");
    const Result<std::string> list = processes->List();
    EXPECT_TRUE(list.ok());
    return processes;
  }

  static HttpTarget With(std::map<std::string, std::string, std::less<>> parameters) {
    return {.path = {"t0ken", "do", "x"}, .parameters = std::move(parameters)};
  }
  static std::string Sentence(const Result<std::string>& result) {
    return result ? *result : result.error().sentence;
  }

  const testing::TempDir folder_;
};

TEST_F(ServeProcesses, WithoutTheTriggerThePageSaysHowToGetIt) {
  Processes none(std::nullopt, "/served");
  const json list = json::parse(*none.List());
  EXPECT_NE(std::string(list["unavailable"]).find("Hindsight.Trigger.Tool"), std::string::npos);
  EXPECT_TRUE(list["processes"].empty());
  EXPECT_FALSE(none.Do("record", With({{"pid", "41"}})).ok());
  EXPECT_FALSE(none.Status(With({{"pid", "41"}})).ok());

  Processes one(Script("exit 9"), "");
  EXPECT_NE(std::string(json::parse(*one.List())["unavailable"]).find("folder"), std::string::npos);
  EXPECT_FALSE(one.Do("stop", With({{"pid", "41"}})).ok());
  EXPECT_FALSE(std::filesystem::exists(Calls())) << "it was called for nothing";
}

TEST_F(ServeProcesses, ArgumentsAreFixedButForThePid) {
  struct Case {
    const char* verb;
    std::map<std::string, std::string, std::less<>> parameters;
    const char* calls;
  };
  const Case cases[] = {
      {"record", {{"what", "usual"}, {"for", "stopped"}}, "attach\n42\n--output\n/served\n"},
      {"record",
       {{"what", "light"}, {"for", "1m"}},
       "attach\n42\n--output\n/served\n--sources\ncpu,gc,exceptions\n--for\n1m\n"},
      {"snapshot", {{"of", "heap"}}, "snapshot\n42\n--output\n/served\n"},
      {"snapshot", {{"of", "threads"}}, "snapshot\n42\n--output\n/served\n--threads\n"},
      {"stop", {}, "stop\n42\n"},
  };
  const auto processes = Listed("echo done");
  for (Case one : cases) {
    one.parameters["pid"] = "42";
    const Result<std::string> answer = processes->Do(one.verb, With(one.parameters));
    ASSERT_TRUE(answer.ok()) << answer.error().sentence;
    EXPECT_EQ(json::parse(*answer), (json{{"exit_code", 0}, {"said", {"done"}}}));
    EXPECT_EQ(testing::ReadFile(Calls()), one.calls);
  }
}

TEST_F(ServeProcesses, WhatIsNotOfferedIsNotDone) {
  const auto processes = Listed("echo done");
  std::filesystem::remove(Calls());
  const std::map<std::string, std::string, std::less<>> wrong[] = {
      {{"pid", "43"}, {"of", "heap"}},
      {{"pid", ""}, {"of", "heap"}},
      {{"of", "heap"}},
      {{"pid", "-1"}, {"of", "heap"}},
      {{"pid", "42; reboot"}, {"of", "heap"}},
      {{"pid", "42"}, {"of", "--help"}},
      {{"pid", "42"}, {"of", ""}},
      {{"pid", "42"}},
      {{"pid", "4294967338"}, {"of", "heap"}},
  };
  for (const auto& parameters : wrong) {
    const Result<std::string> answer = processes->Do("snapshot", With(parameters));
    ASSERT_FALSE(answer.ok()) << *answer;
    EXPECT_EQ(answer.error().exit_code, ExitCode::kUsage);
  }
  for (const char* verb : {"", "attach", "pull", "launch", "--help"}) {
    EXPECT_FALSE(processes->Do(verb, With({{"pid", "42"}})).ok()) << verb;
  }
  EXPECT_FALSE(std::filesystem::exists(Calls())) << testing::ReadFile(Calls());
}

TEST_F(ServeProcesses, OnlyWhatTheLastListHas) {
  Processes processes(Script("cat '" + (folder_ / "list") + "'"), "/served");
  testing::WriteFile(folder_ / "list", R"([{"pid": 41}])");
  ASSERT_TRUE(processes.List().ok());
  EXPECT_TRUE(processes.Do("stop", With({{"pid", "41"}})).ok());
  testing::WriteFile(folder_ / "list", R"([{"pid": 7}, {"pid": "8"}, 9, {}, {"pid": -3}])");
  ASSERT_TRUE(processes.List().ok());
  for (const char* pid : {"41", "8", "9", "3"}) {
    EXPECT_FALSE(processes.Do("stop", With({{"pid", pid}})).ok()) << pid;
  }
  EXPECT_TRUE(processes.Do("stop", With({{"pid", "7"}})).ok());
}

TEST_F(ServeProcesses, WhatTheTriggerRefusesIsShownAsItIs) {
  const auto processes = Listed("echo 'Process 42 is stopped.' >&2; exit 13");
  const json answer = json::parse(*processes->Do("stop", With({{"pid", "42"}})));
  EXPECT_EQ(answer, (json{{"exit_code", 13}, {"said", {"Process 42 is stopped."}}}));
  // A status is JSON, or the trigger's words are the error.
  EXPECT_EQ(Sentence(processes->Status(With({{"pid", "42"}}))),
            "hindsight-trigger gave no answer (exit code 13): Process 42 is stopped.\n");
}

TEST_F(ServeProcesses, StatusIsTheTriggersJson) {
  const auto processes = Listed("echo '{\"ok\": false, \"exit_code\": 34}'; exit 34");
  const json status = json::parse(*processes->Status(With({{"pid", "41"}})));
  EXPECT_EQ(status, (json{{"exit_code", 34}, {"answer", {{"ok", false}, {"exit_code", 34}}}}));
  EXPECT_EQ(testing::ReadFile(Calls()), "status\n41\n--timeout\n2s\n--json\n");
}

TEST_F(ServeProcesses, AListThatIsNoneIsAnError) {
  for (const char* body : {"echo '{}'", "echo 'no JSON'", "exit 1", "kill -9 $$"}) {
    Processes processes(Script(body), "/served");
    EXPECT_FALSE(processes.List().ok()) << body;
  }
  EXPECT_FALSE(Processes("/nowhere/hindsight-trigger", "/served").List().ok());
}

TEST_F(ServeProcesses, ToolsAreBoundedInTimeAndSize) {
  using std::chrono::seconds;
  const Result<ToolAnswer> both = AskTool({Script("echo out; echo err >&2; exit 3")}, seconds(60));
  ASSERT_TRUE(both.ok()) << both.error().sentence;
  EXPECT_EQ(both->out, "out\n");
  EXPECT_EQ(both->err, "err\n");
  EXPECT_EQ(both->exit_code, 3);
  const Result<ToolAnswer> late = AskTool({Script("sleep 600")}, seconds(1));
  ASSERT_FALSE(late.ok());
  EXPECT_NE(late.error().sentence.find("did not end within 1 seconds"), std::string::npos);
  const Result<ToolAnswer> much =
      AskTool({Script("while :; do echo many words; done")}, seconds(60));
  ASSERT_FALSE(much.ok());
  EXPECT_NE(much.error().sentence.find("wrote more than 4 MiB"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
