// `hindsight serve` as a program: a folder, a recording, files outside of it, its end.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"
#include "tests/support/sample_recordings.h"
#include "tests/support/serving.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ServeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "in");
    for (const char* name :
         {"in/Shop-1-20261121T120000Z.hindsight", "in/b c%2F.hindsight", "out/secret.hindsight"}) {
      SampleRecording().WriteFolder(folder_ / name);
    }
  }

  std::string In() const { return folder_ / "in"; }
  static HttpReply Ask(const ServeProcess& server, const std::string& rest) {
    return Get(server.port(), "/" + server.token() + "/" + rest);
  }
  static std::set<std::string> Listed(const ServeProcess& server) {
    std::set<std::string> names;
    const HttpReply reply = Ask(server, "api/list");
    const json answer = json::parse(reply.body);
    for (const json& row : answer["recordings"]) names.insert(row["recording"]);
    return names;
  }

  const TempDir folder_;
};

TEST_F(ServeCommand, AFoldersRecordingsAreListedAndOpen) {
  ServeProcess server({HINDSIGHT_BINARY, "serve", In()});
  EXPECT_TRUE(server.output().starts_with("2 recordings in " + In())) << server.output();
  EXPECT_EQ(Listed(server),
            (std::set<std::string>{"Shop-1-20261121T120000Z.hindsight", "b c%2F.hindsight"}));
  EXPECT_EQ(Ask(server, "api/brief?recording=b+c%252F.hindsight").status, 200);
  const HttpReply page = Ask(server, "report?recording=Shop-1-20261121T120000Z.hindsight");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<script id=\"data\" type=\"application/json\">"), std::string::npos);
  EXPECT_EQ(server.End(SIGINT), 0);
}

TEST_F(ServeCommand, NothingOutsideOfTheFolderOpens) {
  fs::create_directory_symlink(folder_ / "out/secret.hindsight", folder_ / "in/link.hindsight");
  fs::create_directory(folder_ / "in/inside.hindsight");
  fs::create_symlink(folder_ / "out/secret.hindsight/000001.hsr",
                     folder_ / "in/inside.hindsight/000001.hsr");
  // A link that stays inside is as good as any.
  fs::create_directory_symlink(folder_ / "in/Shop-1-20261121T120000Z.hindsight",
                               folder_ / "in/same.hindsight");
  ServeProcess server({HINDSIGHT_BINARY, "serve", In()});
  EXPECT_EQ(Listed(server), (std::set<std::string>{"Shop-1-20261121T120000Z.hindsight",
                                                   "b c%2F.hindsight", "same.hindsight"}));
  for (const char* name :
       {"link.hindsight", "inside.hindsight", "..%2Fout%2Fsecret.hindsight", "secret.hindsight",
        "%2e%2e%2fout%2fsecret.hindsight", ".", "..", "", ".hindsight", "..hindsight",
        "%2Fetc%2Fpasswd", "x%2F..%2F..%2Fout%2Fsecret.hindsight", "b%20c%2F.hindsight"}) {
    for (const char* address :
         {"report", "api/brief", "api/types", "api/events", "api/snapshots"}) {
      const HttpReply reply = Ask(server, std::string(address) + "?recording=" + std::string(name));
      EXPECT_TRUE(reply.status == 400 || reply.status == 422) << address << " " << name;
    }
  }
  EXPECT_EQ(Ask(server, "../out/secret.hindsight/000001.hsr").status, 400);
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST_F(ServeCommand, OneRecordingIsServedAlone) {
  ServeProcess server({HINDSIGHT_BINARY, "serve", folder_ / "out/secret.hindsight"});
  EXPECT_EQ(Listed(server), (std::set<std::string>{"secret.hindsight"}));
  EXPECT_EQ(Ask(server, "report?recording=secret.hindsight").status, 200);
  EXPECT_EQ(Ask(server, "report?recording=b.hindsight").status, 422);
}

TEST_F(ServeCommand, AnswersAreThoseOfTheCommands) {
  ServeProcess server({HINDSIGHT_BINARY, "serve", In()});
  const std::string path = In() + "/Shop-1-20261121T120000Z.hindsight";
  const auto reported = [&](std::vector<std::string> command) {
    command.insert(command.begin(), HINDSIGHT_BINARY);
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  };
  const std::string of = "recording=Shop-1-20261121T120000Z.hindsight";
  const json events = json::parse(Ask(server, "api/events?" + of + "&from=0&to=2000000000").body);
  for (const char* command : {"cpu", "allocations", "gc"}) {
    EXPECT_EQ(events[command], reported({command, path, "--from", "0s", "--to", "2s", "--json"}));
  }
  EXPECT_EQ(events["exceptions"], reported({"exceptions", path, "--from", "0s", "--to", "2s",
                                            "--json", "--top", "300", "--messages", "3"}));
  const std::string query = "SELECT type, count FROM exceptions_by_type";
  const json sql =
      json::parse(Ask(server, "api/sql?" + of + "&query=SELECT+name+FROM+threads+ORDER+BY+1").body);
  EXPECT_EQ(sql["answer"],
            reported({"sql", path, "SELECT name FROM threads ORDER BY 1", "--json"}));
  EXPECT_EQ(sql["is_cut"], false);
}

TEST_F(ServeCommand, QueriesOnlyReadAndEnd) {
  ServeProcess server({HINDSIGHT_BINARY, "serve", In()});
  const std::string of = "api/sql?recording=Shop-1-20261121T120000Z.hindsight&query=";
  for (const char* query :
       {"DELETE+FROM+threads", "ATTACH+'/tmp/x'+AS+x", "PRAGMA+user_version", "SELECT+1;SELECT+2",
        "VACUUM+INTO+'/tmp/x'", "SELECT+load_extension('x')", "SELECT+FROM", ""}) {
    EXPECT_EQ(Ask(server, of + query).status, 400) << query;
  }
  const HttpReply many = Ask(server, of + "WITH+RECURSIVE+n(i)+AS+(SELECT+1+UNION+ALL+SELECT+i%2B1+"
                                          "FROM+n)+SELECT+i+FROM+n");
  EXPECT_EQ(json::parse(many.body)["is_cut"], true);
  EXPECT_EQ(json::parse(many.body)["answer"]["rows"].size(), 2000u);
  const HttpReply endless = Ask(server, of + "WITH+RECURSIVE+n(i)+AS+(SELECT+1+UNION+ALL+SELECT+i%"
                                             "2B1+FROM+n)+SELECT+sum(i)+FROM+n");
  EXPECT_EQ(endless.status, 400);
  EXPECT_NE(endless.body.find("took too long"), std::string::npos) << endless.body;
}

TEST_F(ServeCommand, WhatCannotBeServedIsReportedInASentence) {
  const auto fails = [&](const std::vector<std::string>& arguments, int exit_code) {
    std::vector<std::string> command = {HINDSIGHT_BINARY, "serve"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("hindsight: ") || exit_code == 64) << result.err;
  };
  fails({folder_ / "none"}, 2);
  WriteFile(folder_ / "file", "no recording");
  fails({folder_ / "file"}, 2);
  fails({In(), "--port", "65536"}, 64);
  fails({In(), "--port", "x"}, 64);
  const ServeProcess first({HINDSIGHT_BINARY, "serve", In()});
  fails({In(), "--port", std::to_string(first.port())}, 2);
}

}  // namespace
}  // namespace hindsight::testing
