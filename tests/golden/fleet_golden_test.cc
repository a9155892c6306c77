// Recordings of one application on many hosts, made from golden cases, and the reports on all of
// them: fleet_cases/shop.txt and shop.fleet.json.
//
// HINDSIGHT_REGENERATE=1 as for golden_test.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/golden/golden_file.h"
#include "tests/support/fleet_folder.h"
#include "tests/support/run.h"

namespace {

namespace fs = std::filesystem;
using hindsight::testing::ExpectFile;
using hindsight::testing::FleetMember;
using hindsight::testing::FleetRecording;
using hindsight::testing::ReadFile;
using hindsight::testing::RunProgram;
using hindsight::testing::RunResult;
using hindsight::testing::TempDir;
using hindsight::testing::WithoutFolder;
using hindsight::testing::WriteFile;

struct Member {
  const char* text;  // a golden case
  FleetMember member;
};

TEST(FleetGolden, AShopOnSixHosts) {
  constexpr char kOld[] = "build one.......", kNew[] = "build two.......";
  const std::vector<Member> members = {
      {"simple", {.host = "web-1", .pid = 11, .build = kOld, .hour = 0}},
      {"simple", {.host = "web-2", .pid = 12, .build = kOld, .hour = 1}},
      {"simple", {.host = "web-3", .pid = 13, .build = kOld, .hour = 2}},
      {"simple", {.host = "web-4", .pid = 14, .build = kNew, .hour = 24}},
      {"simple", {.host = "web-5", .pid = 15, .build = kNew, .hour = 25}},
      {"unhandled", {.host = "web-6", .pid = 16, .build = kNew, .hour = 26}},
      {"unhandled", {.host = "web-6", .pid = 17, .build = kNew, .hour = 27}},
      {"cpu", {.host = "web-1", .pid = 18, .build = kNew, .hour = 28}},
  };
  const TempDir folder;
  for (const Member& one : members) {
    fs::create_directories(folder / one.member.host);
    FleetRecording(
        ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / (std::string(one.text) + ".textproto")),
        one.member)
        .WriteFolder(folder.path() / one.member.host /
                     ("Shop-" + std::to_string(one.member.pid) + ".hindsight"));
  }
  fs::create_directories(folder / "web-7/Shop-19.hindsight");
  WriteFile(folder / "web-7/Shop-19.hindsight/000001.hsr", "damaged");

  const fs::path expected = fs::path(HINDSIGHT_GOLDEN_FOLDER) / "fleet_cases";
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {HINDSIGHT_BINARY, "fleet"});
    arguments.insert(arguments.end(), {"--no-catalogue", folder.path().string()});
    const RunResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return WithoutFolder(result.out, folder.path(), "FLEET");
  };
  ExpectFile(expected / "shop.txt", run({"--all"}));
  ExpectFile(expected / "shop.fleet.json", run({"--json"}));
}

}  // namespace
