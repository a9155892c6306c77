// The page fits where it is shown, and commands that it suggests can be typed.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/base/shell.h"
#include "analyzer/report/overview/overview_report.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

class OverviewReport : public ::testing::Test {
 protected:
  OverviewReport() {
    scene_.model().facts.last_ns = 10'000'000'000;
    reports_ = MakeReports(std::make_unique<EventReports>(scene_.model()), nullptr);
    overview_ = FindAll(reports_);
  }

  void Find(Severity severity, std::string title) {
    Finding finding;
    finding.severity = severity;
    finding.title = std::move(title);
    finding.evidence =
        "It was seen by all, for longer than anybody could bear it. " + std::string(200, 'e');
    finding.command = "cpu";
    overview_.findings.push_back(std::move(finding));
  }
  OverviewPage Page() const {
    return {.reports = &reports_, .overview = &overview_, .paths = paths_, .damages = {}};
  }
  std::vector<std::string> Lines(size_t width, size_t top = kOverviewFindings) const {
    TextStyle style;
    style.width = width;
    std::vector<std::string> lines;
    std::istringstream text(OverviewText(Page(), style, top));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  testing::ProfileScene scene_;
  Reports reports_;
  Overview overview_;
  std::vector<std::string> paths_ = {"shop.hindsight"};
};

TEST_F(OverviewReport, SaysThatNothingWasFoundAndWhatWasLookedAt) {
  const std::vector<std::string> lines = Lines(100);
  EXPECT_TRUE(lines[0].starts_with("Shop, pid 4242")) << lines[0];
  // What was not seen is stated with the verdict, not after it.
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.starts_with(
        "No problems found in what was recorded. Hardly anything ran in 10.00 s: the process is ");
  }));
  overview_.stillness.clear();
  EXPECT_TRUE(std::ranges::any_of(Lines(100), [](const std::string& line) {
    return line.starts_with("No problems found in what was recorded. Not or only partly covered: ");
  }));
  EXPECT_TRUE(std::ranges::any_of(
      lines, [](const std::string& line) { return line.starts_with("Not recorded: "); }));
}

TEST_F(OverviewReport, SaysFirstIfOneMethodUsesMuchOfTheProcessors) {
  scene_.model().facts.cpus = 2;
  Find(Severity::kNote, "Shop.Price.Of takes 96 % of the CPU time");
  overview_.findings[0].kind = "hot-path";
  const auto headline = [this](double impact) {
    overview_.findings[0].impact = impact;
    const std::vector<std::string> lines = Lines(200);
    return *std::ranges::find_if(lines, [](const std::string& line) {
      return line.starts_with("No problems found in what was recorded.");
    });
  };
  EXPECT_NE(headline(0.48).find(". One method uses 48.0 % of the processors. Not or only partly"),
            std::string::npos)
      << headline(0.48);
  EXPECT_EQ(headline(0.29).find("One method"), std::string::npos);
}

TEST_F(OverviewReport, FitsAScreenOfAnyWidth) {
  for (int i = 0; i < 5; ++i) Find(Severity::kWarning, "Something of " + std::string(40, 'x'));
  for (const size_t width : {80u, 100u, 200u}) {
    const std::vector<std::string> lines = Lines(width);
    EXPECT_LE(lines.size(), 40u) << width;
    for (const std::string& line : lines) EXPECT_LE(TextColumns(line), width) << line;
  }
}

TEST_F(OverviewReport, CountsWhatItDoesNotShow) {
  for (int i = 0; i < 20; ++i) Find(Severity::kWarning, "Number " + std::to_string(i));
  std::vector<std::string> lines = Lines(100);
  const auto has = [&lines](std::string_view text) {
    return std::ranges::any_of(
        lines, [text](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("20 warnings."));
  EXPECT_TRUE(has("Number 11"));
  EXPECT_FALSE(has("Number 12"));
  EXPECT_TRUE(has("and 8 more findings"));
  lines = Lines(100, 0);
  EXPECT_TRUE(has("Number 19"));
}

TEST_F(OverviewReport, CommandsAreReadyForAShell) {
  Finding finding;
  finding.command = "exceptions --type Shop.Lost";
  EXPECT_EQ(CommandOf(finding, std::vector<std::string>{"/tmp/a", "my shop's"}),
            "hindsight exceptions --type Shop.Lost /tmp/a " + ShellWord("my shop's"));
}

TEST_F(OverviewReport, ForeignTextIsMadeSafe) {
  Find(Severity::kCritical, "Bad\x1b[31m\n<script>");
  for (const std::string& line : Lines(100)) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST_F(OverviewReport, JsonHasAllFindings) {
  for (int i = 0; i < 20; ++i) Find(Severity::kCritical, "Number " + std::to_string(i));
  const auto json = nlohmann::json::parse(OverviewJson(Page()));
  EXPECT_EQ(json.at("findings").size(), 20u);
  EXPECT_EQ(json.at("findings").at(0).at("severity"), "critical");
  EXPECT_EQ(json.at("findings").at(0).at("command"), "hindsight cpu shop.hindsight");
  EXPECT_EQ(json.at("coverage").size(), kSignals);
  EXPECT_EQ(json.at("healthy"), false);
  EXPECT_EQ(json.at("process").at("pid"), 4242);
  EXPECT_EQ(json.at("snapshot"), nullptr);
}

}  // namespace
}  // namespace hindsight::analyzer
