// The explorer's list of processes, with the real trigger and recorder: what a click does.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/live/harness/recording.h"
#include "tests/live/trigger_stage.h"
#include "tests/support/serving.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using trigger::TriggerExit;

// With the trigger next to the analyzer, as they are installed.
std::string InstalledAnalyzer(const Stage& stage) {
  const fs::path copy = stage / "bin/hindsight";
  fs::copy_file(HINDSIGHT_ANALYZER, copy);
  return copy.string();
}

class Serve : public ::testing::Test {
 protected:
  json Parsed(const testing::HttpReply& reply) {
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  json Get(const std::string& what) {
    return Parsed(testing::Get(server_.port(), "/" + server_.token() + "/api/" + what));
  }
  testing::HttpReply Post(const std::string& what, const std::string& origin) {
    return testing::SendRaw(server_.port(),
                            "POST /" + server_.token() + "/do/" + what +
                                " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) +
                                "\r\nConnection: close\r\nContent-Length: 0\r\n" + origin + "\r\n");
  }
  json Click(const std::string& what) {
    return Parsed(
        Post(what, "Origin: http://127.0.0.1:" + std::to_string(server_.port()) + "\r\n"));
  }
  json Row(pid_t pid) {
    const json answer = Get("processes");
    for (const json& row : answer["processes"]) {
      if (row["pid"] == pid) return row;
    }
    return {{"recorded", "not listed"}};
  }

  Stage stage_;
  testing::ServeProcess server_{{InstalledAnalyzer(stage_), "serve", stage_.Recordings()}};
};

TEST_F(Serve, RecordsAProcessOfThisMachine) {
  Application application(stage_);
  const std::string pid = "pid=" + application.Pid();
  EXPECT_EQ(Row(application.pid())["recorded"], "no");
  // Not for requests from another page, nor from a program that knows the token by chance.
  EXPECT_EQ(Post("record?what=usual&for=stopped&" + pid, "").status, 403);
  EXPECT_EQ(Post("record?what=usual&for=stopped&" + pid, "Origin: http://evil\r\n").status, 403);
  EXPECT_EQ(Row(application.pid())["recorded"], "no");

  const json started = Click("record?what=usual&for=stopped&" + pid);
  ASSERT_EQ(started["exit_code"], 0) << started;
  const json status = Get("status?" + pid)["answer"];
  ASSERT_EQ(status["ok"], true) << status;
  EXPECT_EQ(status["status"]["state"], "recording");
  const fs::path output = std::string(status["status"]["output"]);
  EXPECT_EQ(output.parent_path(), stage_.Recordings());
  EXPECT_EQ(Row(application.pid())["recorded"], "recording");
  const json again = Click("record?what=usual&for=stopped&" + pid);
  EXPECT_EQ(again["exit_code"], static_cast<int>(TriggerExit::kAlreadyRecorded)) << again;
  EXPECT_NE(again["said"].dump().find(output.string()), std::string::npos) << again;

  EXPECT_EQ(Click("snapshot?of=heap&" + pid)["exit_code"], 0);
  const json stopped = Click("stop?" + pid);
  ASSERT_EQ(stopped["exit_code"], 0) << stopped;
  EXPECT_EQ(Row(application.pid())["recorded"], "no");
  const json list = Get("list")["recordings"];
  ASSERT_EQ(list.size(), 1u) << list;
  EXPECT_EQ(list[0]["recording"], output.filename().string());
  EXPECT_EQ(list[0]["snapshots"], 1);
  EXPECT_TRUE(Get("types?recording=" + output.filename().string()).contains("types"));

  // For a process that is not recorded: a recording of its own.
  EXPECT_EQ(Click("snapshot?of=threads&" + pid)["exit_code"], 0);
  EXPECT_EQ(Get("list")["recordings"].size(), 2u);
  EXPECT_EQ(Get("status?" + pid)["exit_code"], static_cast<int>(TriggerExit::kNotRecorded));
  EXPECT_TRUE(application.EndsWell());
  EXPECT_EQ(server_.End(SIGINT), 0);
}

TEST_F(Serve, SaysWhatTheTriggerSays) {
  Application application(stage_);
  ASSERT_EQ(Row(application.pid())["recorded"], "no");
  const std::string pid = application.Pid();
  EXPECT_TRUE(application.EndsWell());
  const json refused = Click("record?what=usual&for=10s&pid=" + pid);
  EXPECT_EQ(refused["exit_code"], static_cast<int>(TriggerExit::kNoSuchProcess));
  const Ended by_hand = stage_.Run({"attach", pid});
  std::string said;
  for (const json& line : refused["said"]) said += line.get<std::string>() + "\n";
  EXPECT_EQ(said, by_hand.errors);
  EXPECT_EQ(server_.End(SIGINT), 0);
}

}  // namespace
}  // namespace hindsight::live
