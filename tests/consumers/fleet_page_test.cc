// The report of a fleet, opened in a browser: it says what `hindsight fleet --json` says, requests
// nothing from the network, and never treats a name as markup.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

using nlohmann::json;

constexpr char kMarkup[] = "<script>alert(1)</script><img src=x onerror=alert(2)>";

class FleetReportPage : public ::testing::Test {
 protected:
  // Seven hosts, the last of which has a name that a page could treat as markup.
  FleetReportPage() {
    for (uint32_t host = 0; host < 7; ++host) {
      ProfileSettings settings;
      settings.seconds = 2;
      settings.recording_id = 100 + host;
      settings.host = host == 6 ? kMarkup : "till-" + std::to_string(host);
      ProfileTruth truth;
      ProfileRecording(settings, truth)
          .WriteFolder(folder_ / ("fleet/shop-" + std::to_string(host) + ".hindsight"));
    }
  }

  RunResult Run(const std::vector<std::string>& command) {
    RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return result;
  }

  json Open(const std::string& file) {
    std::vector<std::string> command = {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/fleet.mjs",
                                        HINDSIGHT_CHROMIUM, file};
    if (const char* const pictures = std::getenv("HINDSIGHT_PICTURES")) {
      command.emplace_back(pictures);
    }
    const RunResult result = Run(command);
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }

  const TempDir folder_;
};

TEST_F(FleetReportPage, SaysWhatTheCommandSays) {
  const std::string fleet = folder_ / "fleet", file = folder_ / "fleet.html";
  Run({HINDSIGHT_BINARY, "report", "--fleet", fleet, "-o", file});
  const json answer = json::parse(Run({HINDSIGHT_BINARY, "fleet", "--json", fleet}).out);
  const json page = Open(file);
  EXPECT_EQ(page["title"], "7 processes on 7 hosts");
  EXPECT_EQ(page["links"], page["sections"]);
  EXPECT_EQ(page["requests"], 0);
  EXPECT_EQ(page["alerts"], 0);
  EXPECT_GE(page["contrast"].get<double>(), 4.5);
  for (const auto& [width, widest] : page["widest"].items()) {
    EXPECT_LE(widest.get<int>(), std::stoi(width));
  }

  const json& findings = answer["findings"];
  ASSERT_FALSE(findings.empty());
  ASSERT_EQ(page["findings"].size(), std::min<size_t>(12, findings.size()));
  for (size_t i = 0; i < page["findings"].size(); ++i) {
    EXPECT_EQ(page["findings"][i]["severity"], findings[i]["severity"]);
    EXPECT_EQ(page["findings"][i]["command"], findings[i]["command"]);
  }
  const json& hosts = page["tables"]["hosts"];
  ASSERT_EQ(hosts["rows"].size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    const json& row = hosts["rows"][i];
    const json& host = answer["hosts"][i];
    EXPECT_EQ(row[0], host["name"]);
    EXPECT_EQ(json::array({row[1], row[2], row[3], row[4], row[5]}),
              json::array({host["processes"], host["recordings"], host["critical"],
                           host["warnings"], host["outliers"]}));
  }
  ASSERT_EQ(page["tables"]["builds"]["rows"].size(), answer["builds"].size());
  ASSERT_EQ(answer["builds"].size(), 1u);
  EXPECT_EQ(page["tables"]["builds"]["rows"][0][3], 7);  // hosts
}

TEST_F(FleetReportPage, AFolderWithoutRecordingsIsRefused) {
  const std::string empty = folder_ / "empty";
  std::filesystem::create_directory(empty);
  const RunResult result =
      RunProgram({HINDSIGHT_BINARY, "report", "--fleet", empty, "-o", folder_ / "fleet.html"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("There is no recording in"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fleet.html"));
}

}  // namespace
}  // namespace hindsight::testing
