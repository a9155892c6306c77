#include "analyzer/report/comparison/comparison_report.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analyzer/base/shell.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

constexpr int64_t kSecond = 1'000'000'000;

Reports ReportsOf(ProfileScene& scene, const std::string& slow, int samples) {
  for (const std::string& method : {std::string("Shop.Sell"), std::string("Shop.Store"), slow}) {
    const CallId call = scene.Call({"Shop.Program.Main", method});
    const int count = method == slow ? samples : 300;
    for (int i = 0; i < count; ++i) scene.Cpu(call, 1, 1, i * 20 * kSecond / count);
  }
  scene.model().facts.last_ns = 20 * kSecond;
  return MakeReports(std::make_unique<EventReports>(scene.model()), nullptr);
}

class ComparisonReportTest : public ::testing::Test {
 protected:
  explicit ComparisonReportTest(std::string slow = "Shop.Parser<System.String>.Parse\x1b[31m")
      : before_(ReportsOf(old_scene_, slow, 200)),
        after_(ReportsOf(new_scene_, slow, 600)),
        comparison_(Compare(before_, after_)),
        view_{.comparison = &comparison_,
              .before = &before_,
              .after = &after_,
              .before_label = "a.hindsight",
              .after_label = "b's.hindsight"} {}

  std::string Text(size_t width) {
    TextStyle style;
    style.width = width;
    return ComparisonText(view_, style);
  }

  ProfileScene old_scene_, new_scene_;
  Reports before_, after_;
  Comparison comparison_;
  ComparisonView view_;
};

TEST_F(ComparisonReportTest, TheFirstLineIsTheVerdict) {
  const std::string text = Text(100);
  EXPECT_TRUE(text.starts_with("1 regression: Shop.Parser")) << text;
  EXPECT_NE(text.find("3.0 times the CPU time: 0.10 -> 0.30 cores"), std::string::npos) << text;
  EXPECT_NE(text.find("200 -> 600 samples"), std::string::npos) << text;
  EXPECT_NE(text.find("certain"), std::string::npos) << text;
  EXPECT_NE(text.find(ShellWord("b's.hindsight")), std::string::npos) << text;
}

TEST_F(ComparisonReportTest, NoEscapeSequencePassesThrough) {
  comparison_.notes.push_back("Shop.Parser\x1b[31m is new.");
  EXPECT_EQ(Text(100).find('\x1b'), std::string::npos);
}

TEST_F(ComparisonReportTest, FitsTheTerminal) {
  for (const size_t width : {80, 100, 200}) {
    std::istringstream lines(Text(width));
    std::string line;
    std::getline(lines, line);  // the verdict is one line whatever its length
    while (std::getline(lines, line)) {
      // Text to be pasted is not cut.
      if (line.find("hindsight ") == std::string::npos) {
        EXPECT_LE(TextColumns(line), width) << line;
      }
    }
  }
}

TEST_F(ComparisonReportTest, RoutesAreReportedWithBothPercentiles) {
  using Change = RouteChange::Change;
  const RouteNumbers few = {.count = 10,
                            .per_second = 1.5,
                            .mean_ns = 2'000'000,
                            .p95_ns = 3'000'000,
                            .p99_ns = 4'000'000};
  const RouteNumbers many = {.count = 80,
                             .failed = 20,
                             .per_second = 12,
                             .failed_share = 0.25,
                             .mean_ns = 5'000'000,
                             .p95_ns = 6'000'000,
                             .p99_ns = 7'000'000};
  comparison_.routes.emplace();
  comparison_.routes->served = {
      {"GET /a\x1b[31m", few, many, Change::kWorse, Change::kBetter},
      {"GET /b", few, {}, {}, {}},
  };
  comparison_.routes->made = {{"GET bank", {}, many, {}, {}}};
  const std::string text = Text(100);
  for (const char* line : {
           "          requests  failed    mean     p95     p99  route\n",
           "  before    1.50/s          2.0 ms  3.0 ms  4.0 ms  GET /a\\x1b[31m\n",
           "  after     12.0/s  25.0 %  5.0 ms  6.0 ms  7.0 ms    slower, fails less often\n",
           "  gone      1.50/s          2.0 ms  3.0 ms  4.0 ms  GET /b\n",
           "  new    12.0/s  25.0 %  5.0 ms  6.0 ms  7.0 ms  GET bank\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  const auto json = nlohmann::json::parse(ComparisonJson(view_));
  const auto& served = json.at("routes").at("served");
  EXPECT_EQ(served[0].at("before").at("p95_ns"), 3'000'000);
  EXPECT_EQ(served[0].at("after").at("p99_ns"), 7'000'000);
  EXPECT_EQ(served[0].at("time"), "worse");
  EXPECT_EQ(served[0].at("failures"), "better");
  EXPECT_TRUE(served[1].at("after").is_null());
  EXPECT_TRUE(served[1].at("time").is_null());
  view_.top = 1;
  EXPECT_NE(Text(100).find("  and 1 more route\n"), std::string::npos);
  comparison_.routes.reset();
  EXPECT_EQ(Text(100).find("by route"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(ComparisonJson(view_)).at("routes").is_null());
}

TEST_F(ComparisonReportTest, JsonSaysTheSame) {
  const auto json = nlohmann::json::parse(ComparisonJson(view_));
  EXPECT_EQ(json.at("verdict"), VerdictOf(comparison_));
  ASSERT_EQ(json.at("differences").size(), 1u);
  const auto& difference = json.at("differences")[0];
  EXPECT_EQ(difference.at("signal"), "cpu");
  EXPECT_EQ(difference.at("direction"), "worse");
  EXPECT_NEAR(difference.at("before").get<double>(), 0.1, 0.01);
  EXPECT_NEAR(difference.at("after").get<double>(), 0.3, 0.01);
  EXPECT_GT(difference.at("confidence").get<double>(), 0.99);
  EXPECT_EQ(json.at("before").at("label"), "a.hindsight");
  EXPECT_EQ(json.at("coverage").size(), kComparedSignals);
}

}  // namespace
}  // namespace hindsight::analyzer
