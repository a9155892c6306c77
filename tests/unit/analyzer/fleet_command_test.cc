// `hindsight fleet` as a user runs it, on folders of many recordings.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fleet_folder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string Case(const std::string& name) {
  return ReadFile(fs::path(HINDSIGHT_GOLDEN_CASES) / (name + ".textproto"));
}

class FleetCommand : public ::testing::Test {
 protected:
  void Add(const std::string& text, const FleetMember& member) {
    const fs::path host = dir_.path() / member.host;
    fs::create_directories(host);
    FleetRecording(text, member)
        .WriteFolder(host / ("Shop-" + std::to_string(member.pid) + ".hindsight"));
  }
  RunResult Fleet(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {HINDSIGHT_BINARY, "fleet"});
    arguments.push_back(dir_.path().string());
    return RunProgram(arguments);
  }
  Json FleetJson() { return Json::parse(Fleet({"--json"}).out); }

  const TempDir dir_;
  const std::string healthy_ = Case("simple"), ill_ = Case("unhandled");
  const std::string catalogue_ = dir_ / "hindsight-fleet.jsonl";
};

TEST_F(FleetCommand, ReadsOnlyWhatIsNewOrChanged) {
  for (uint32_t pid = 1; pid <= 3; ++pid) {
    Add(healthy_, {.host = "web-1", .pid = pid, .build = "0123456789abcdef"});
  }
  Json json = FleetJson();
  EXPECT_EQ(json["read"], 3);
  EXPECT_EQ(json["recordings"], 3);
  EXPECT_TRUE(fs::exists(catalogue_));
  const Json findings = json["findings"];

  json = FleetJson();
  EXPECT_EQ(json["read"], 0);
  EXPECT_EQ(json["from_catalogue"], 3);
  EXPECT_EQ(json["findings"], findings);

  Add(ill_, {.host = "web-2", .pid = 9, .build = "0123456789abcdef"});
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});  // rewritten
  json = FleetJson();
  EXPECT_EQ(json["read"], 2);
  EXPECT_EQ(json["from_catalogue"], 2);
  EXPECT_EQ(json["findings"][0]["kind"], "unhandled");
  EXPECT_EQ(json["findings"][0]["has"], (Json{{"processes", 2}, {"hosts", 2}}));

  fs::remove_all(dir_ / "web-2");
  json = FleetJson();
  EXPECT_EQ(json["recordings"], 3);
  EXPECT_EQ(ReadFile(catalogue_).find("web-2"), std::string::npos);
}

TEST_F(FleetCommand, ADamagedCatalogueIsMadeAnew) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  const std::string first = Fleet().out;
  const std::string whole = ReadFile(catalogue_);
  WriteFile(catalogue_, whole.substr(0, whole.size() - 10));
  EXPECT_EQ(Fleet().out, first);
  EXPECT_EQ(ReadFile(catalogue_), whole);
}

TEST_F(FleetCommand, WithoutACatalogueNothingIsWritten) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  EXPECT_EQ(Fleet({"--no-catalogue"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(catalogue_));
}

TEST_F(FleetCommand, AFolderThatCannotBeWrittenIsReadAllTheSame) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  // Everyone may read everything, but not write.
  for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) {
    fs::permissions(entry, entry.is_directory() ? fs::perms(0755) : fs::perms(0644));
  }
  fs::permissions(dir_.path(), fs::perms(geteuid() == 0 ? 0755 : 0555));
  const RunResult result =
      RunProgram({HINDSIGHT_BINARY, "fleet", dir_.path().string()}, /*as_nobody=*/true);
  fs::permissions(dir_.path(), fs::perms(0755));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("was unhandled"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Without a catalogue"), std::string::npos) << result.out;
  EXPECT_FALSE(fs::exists(catalogue_));
}

TEST_F(FleetCommand, WhatCannotBeReadIsNamed) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  fs::create_directories(dir_ / "web-2/Shop-2.hindsight");
  WriteFile(dir_ / "web-2/Shop-2.hindsight/000001.hsr", "no recording");
  fs::create_directories(dir_ / "web-3/Shop-3.hindsight");  // empty
  const RunResult result = Fleet();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("2 recordings could not be read and are not included:"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("Shop-2.hindsight"), std::string::npos);
  EXPECT_NE(result.out.find("Shop-3.hindsight"), std::string::npos);
  EXPECT_NE(result.out.find("1 recording of 1 process on 1 host"), std::string::npos);
}

// A file next to the folders of recordings, such as a heap snapshot that somebody copied there.
TEST_F(FleetCommand, AStrayFileDoesNotHideTheRecordingsNextToIt) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  Add(healthy_, {.host = "web-1", .pid = 2, .build = "0123456789abcdef"});
  Add(healthy_, {.host = "web-2", .pid = 3, .build = "0123456789abcdef"});
  WriteFile(dir_ / "000001.hsr", "no recording");
  const std::string stray = dir_ / "web-2/000007.hsr";
  fs::rename(dir_ / "web-2/Shop-3.hindsight/000001.hsr", stray);
  Add(healthy_, {.host = "web-2", .pid = 4, .build = "0123456789abcdef"});
  fs::remove_all(dir_ / "web-2/Shop-3.hindsight");
  const Json json = FleetJson();
  EXPECT_EQ(json["recordings"], 4) << json.dump(1);
  EXPECT_EQ(json["findings"][0]["kind"], "unhandled");
  ASSERT_EQ(json["unreadable"].size(), 1u);
  EXPECT_EQ(json["unreadable"][0]["path"], dir_.path().string());
}

TEST_F(FleetCommand, TwoAtOnceHarmNothing) {
  for (uint32_t pid = 1; pid <= 8; ++pid) {
    Add(ill_, {.host = "web-1", .pid = pid, .build = "0123456789abcdef"});
  }
  std::vector<RunResult> results(4);
  {
    std::vector<std::jthread> runs;
    for (RunResult& result : results) runs.emplace_back([&] { result = Fleet({"--json"}); });
  }
  for (const RunResult& result : results) {
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(Json::parse(result.out)["recordings"], 8);
  }
  EXPECT_EQ(FleetJson()["from_catalogue"], 8);
  // The folder of the host, and the catalogue.
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()), 2);
}

TEST_F(FleetCommand, ReadsSingleRecordingsAndCountsCopiesOnce) {
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  const std::string one = dir_ / "web-1/Shop-1.hindsight";
  const RunResult result = RunProgram({HINDSIGHT_BINARY, "fleet", one, one + "/000001.hsr"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("1 recording left out"), std::string::npos) << result.out;
  EXPECT_EQ(std::distance(fs::directory_iterator(one), fs::directory_iterator()), 1);
}

// Ten times the recordings, each with findings in different words: little of a recording is kept in
// memory.
TEST_F(FleetCommand, MemoryDoesNotGrowWithTheFindingsOfRecordings) {
#ifdef HINDSIGHT_SANITIZED
  GTEST_SKIP() << "AddressSanitizer keeps memory that was given back.";
#endif
  Add(ill_, {.host = "web-1", .pid = 1, .build = "0123456789abcdef"});
  FleetJson();
  const std::string known = ReadFile(catalogue_);
  const std::string head = known.substr(0, known.find('\n') + 1);
  Json row = Json::parse(known.substr(head.size()));
  fs::remove_all(dir_ / "web-1");
  const auto peak_kib = [&](uint64_t recordings) {
    // Line by line: this process's memory would count as that of its child.
    std::ofstream catalogue(catalogue_, std::ios::binary);
    catalogue << head;
    for (uint64_t i = 0; i < recordings; ++i) {
      const std::string name = "Shop-" + std::to_string(i) + ".hindsight";
      const fs::path file = dir_.path() / name / "000001.hsr";
      fs::create_directories(file.parent_path());
      WriteFile(file, "x");
      struct stat status;
      EXPECT_EQ(stat(file.c_str(), &status), 0);
      row["path"] = name;
      row["files"] = row["bytes"] = 1;
      row["modified_ns"] = static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                           static_cast<uint64_t>(status.st_mtim.tv_nsec);
      row["recording_id"] = i + 1;
      row["pid"] = i + 1;
      const std::string words = std::to_string(i) + std::string(350, 'x');
      row["findings"] = Json::array();
      for (int finding = 0; finding < 40; ++finding) {
        row["findings"].push_back({{"severity", "warning"},
                                   {"signal", "exceptions"},
                                   {"kind", "storm"},
                                   {"subject", "Shop.Lost" + std::to_string(finding)},
                                   {"title", words},
                                   {"command", words},
                                   {"impact", 0.5}});
      }
      catalogue << row.dump() << "\n";
    }
    catalogue.close();
    const RunResult result = Fleet({"--json"});
    const Json json = Json::parse(result.out);
    EXPECT_EQ(json["from_catalogue"], recordings);
    EXPECT_EQ(json["recordings"], recordings);
    EXPECT_EQ(json["findings"].size(), 40u);
    return result.max_rss_kib;
  };
  const long few = peak_kib(300);
  const long many = peak_kib(3000);
  // 2,700 recordings more, with 30 KiB of texts each. 3 KiB of each stay.
  constexpr long kMostOfOneKib = 8;
  EXPECT_LT(many - few, 2700 * kMostOfOneKib) << few << " and " << many << " KiB";
}

TEST_F(FleetCommand, RefusalsAreSentences) {
  const RunResult none = Fleet();
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "hindsight: There is no recording in " + dir_.path().string() +
                          "; give folders with recordings, or recordings.\n");
  const RunResult missing = RunProgram({HINDSIGHT_BINARY, "fleet", dir_ / "nowhere"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(missing.err.starts_with("hindsight: Cannot open ")) << missing.err;
}

}  // namespace
}  // namespace hindsight::testing
