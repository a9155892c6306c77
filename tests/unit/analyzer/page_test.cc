// The report's page without a browser: its data is JSON that no name can break out of, and bounded.
#include "analyzer/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/page/descriptions.h"
#include "analyzer/page/page_data.h"
#include "analyzer/page/page_files.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using ::hindsight::testing::ProfileScene;

Reports ReportsOf(ProfileScene& scene) {
  return MakeReports(std::make_unique<EventReports>(scene.model()), nullptr);
}

std::string PageOf(const Reports& reports, const Reports* before = nullptr,
                   const PageLimits& limits = {}) {
  std::string page;
  const PageRecording now = {&reports, "now", {}}, earlier = {before, "before", {}};
  const PageTotals totals = WritePage(
      now, before == nullptr ? nullptr : &earlier, "test",
      [&](std::string_view bytes) {
        page += bytes;
        return true;
      },
      limits);
  EXPECT_TRUE(totals.written);
  EXPECT_EQ(totals.bytes, page.size());
  return page;
}

// The text of the element that begins with `open`.
std::string_view ElementOf(std::string_view page, std::string_view open) {
  const size_t begin = page.find(open);
  if (begin == std::string_view::npos) return {};
  page.remove_prefix(begin + open.size());
  return page.substr(0, page.find("</script>"));
}

constexpr std::string_view kData = "<script id=\"data\" type=\"application/json\">";

TEST(Page, NamesCannotEndTheData) {
  ProfileScene scene;
  const std::string name = "Shop.</script><script>alert(1)</script><!--.Run";
  scene.Cpu(scene.Call({"Shop.Program.Main", name}), 20);
  scene.model().facts.application = "</script><img src=x>";
  scene.model().facts.cpu_on = true;
  const Reports reports = ReportsOf(scene);
  const std::string page = PageOf(reports);
  const std::string_view data = ElementOf(page, kData);
  EXPECT_EQ(data.find('<'), std::string_view::npos);
  const Json json = Json::parse(data, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["recordings"][0]["title"], "</script><img src=x>");
  const std::string_view profile =
      ElementOf(page, "<script id=\"profile-cpu\" class=\"profile\" type=\"application/json\">");
  EXPECT_EQ(profile.find('<'), std::string_view::npos);
  EXPECT_TRUE(Json::parse(profile, nullptr, false).is_object());
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

TEST(Page, CutsWhatIsLongAndCountsIt) {
  ProfileScene scene;
  for (int i = 0; i < 50; ++i) {
    scene.Cpu(scene.Call({"Shop.Program.Main", "Shop.Area" + std::to_string(i) + ".Run"}), 10 + i);
  }
  scene.Cpu(scene.Call({"Shop." + std::string(10'000, 'W') + ".Run"}), 1000);
  const Reports reports = ReportsOf(scene);
  const PageRecording now = {&reports, "now", {}};
  PageLimits limits;
  limits.rows = 20;
  const Json data = PageData(now, nullptr, PageWalls(now, nullptr, limits), "test", limits);
  const Json& methods = data["answers"]["cpu"]["methods"];
  ASSERT_EQ(methods.size(), 20u);
  EXPECT_GE(data["left_out"]["cpu/methods"], 31);
  EXPECT_LT(methods[0]["method"].get<std::string>().size(), 1300u);
  EXPECT_EQ(methods[1]["method"], "Shop.Area49.Run");
}

TEST(Page, ColumnsAreDescribedOnceInTheReports) {
  static constexpr std::string_view kCommands[] = {"cpu", "gc"};
  const Json lists = Descriptions(kCommands);
  EXPECT_EQ(lists["cpu/methods"]["self_ns"][1], "ns");
  EXPECT_EQ(lists["cpu/methods"]["total_share"][1], "share");
  EXPECT_EQ(lists["gc/pauses/worst"]["at_ns"][0], "at") << "the title in the text report";
  EXPECT_EQ(lists["gc/pauses/worst"]["at_ns"][1], "at");
  EXPECT_EQ(lists["gc/heap/generations"]["first_bytes"][0], "first") << "the name without its unit";
  EXPECT_FALSE(lists.contains("locks/waits"));
}

// The fields that the columns of tables name exist in the rows of these lists.
void ExpectDescribed(std::string_view script, std::string_view constant, std::string_view under) {
  const Json lists = Json::parse(constant.substr(constant.find('{')), nullptr, false);
  ASSERT_TRUE(lists.is_object());
  const std::string text(script);
  const std::regex token(
      "(list: '|Report.table\\(host, '|field: ')([a-z_/]+)'|const (byTarget|parts) =|  counts: ");
  std::string list;
  size_t fields = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at) {
    const std::string what = (*at)[1], name = (*at)[2];
    if (what != "field: '") {
      list = what.empty() ? "" : std::string(under) + name;
      continue;
    }
    ++fields;
    const auto has = [&name](const Json& rows) { return rows.contains(name); };
    EXPECT_TRUE(list.empty() ? std::ranges::any_of(lists, has) : has(lists[list]))
        << list << ": " << name;
  }
  EXPECT_GT(fields, 20u);
}

TEST(Page, ColumnsNameFieldsOfTheirRows) {
  ExpectDescribed(kReportScript, ReportDescriptions(), "");
  ExpectDescribed(kFleetScript, FleetDescriptions(), "fleet/");
}

TEST(Page, WhatWasNotRecordedHasNoAnswer) {
  ProfileScene scene;
  RecordingFacts& facts = scene.model().facts;
  facts.cpu_on = facts.allocations_on = facts.exceptions_on = false;
  const Reports reports = ReportsOf(scene);
  const PageRecording now = {&reports, "now", {}};
  const Json data = PageData(now, nullptr, PageWalls(now, nullptr, {}), "test", {});
  for (const char* command : {"cpu", "allocations", "gc", "leaks", "heap", "tasks", "exceptions"}) {
    EXPECT_TRUE(data["answers"][command].is_null()) << command;
  }
  EXPECT_FALSE(data["answers"]["summary"]["coverage"].empty());
  EXPECT_TRUE(data["before"].is_null());
  EXPECT_TRUE(data["comparison"].is_null());
}

TEST(Page, HasBothOfTwoRecordings) {
  ProfileScene quick, slow;
  for (ProfileScene* scene : {&quick, &slow}) {
    scene->model().facts.cpu_on = true;
    scene->Cpu(scene->Call({"Shop.Program.Main", "Shop.Cart.Add"}), scene == &slow ? 600 : 200);
    scene->Cpu(scene->Call({"Shop.Program.Main", "Shop.Cart.List"}), 400);
  }
  const Reports before = ReportsOf(quick), after = ReportsOf(slow);
  const std::string page = PageOf(after, &before);
  const Json data = Json::parse(ElementOf(page, kData), nullptr, false);
  ASSERT_EQ(data["recordings"].size(), 2u);
  EXPECT_EQ(data["recordings"][1]["label"], "now");
  EXPECT_EQ(data["before"]["cpu"]["samples"], 600);
  EXPECT_EQ(data["answers"]["cpu"]["samples"], 1000);
  EXPECT_TRUE(data["comparison"]["verdict"].is_string());
  const Json profile = Json::parse(
      ElementOf(page, "<script id=\"profile-cpu\" class=\"profile\" type=\"application/json\">"),
      nullptr, false);
  EXPECT_EQ(profile["baseTotals"][0], 600 * ProfileScene::kPeriodNs);
}

TEST(Page, HasWhatOnlyTheEarlierRecordingHas) {
  ProfileScene busy, idle;
  busy.model().facts.cpu_on = true;
  busy.Cpu(busy.Call({"Shop.Program.Main", "Shop.Cart.Add"}), 200);
  busy.model().requests.samples = {{1'000'000'000, 5, 4, 1, 2'000'000'000},
                                   {2'000'000'000, 1, 1, 0, 3'000'000'000}};
  Requests& requests = busy.model().requests;
  requests.started = 6;
  requests.finished = 5;
  requests.failed = 1;
  requests.total_ns = 5'000'000'000;
  idle.model().facts.cpu_on = false;
  const Reports before = ReportsOf(busy), after = ReportsOf(idle);
  const std::string page = PageOf(after, &before);
  const Json data = Json::parse(ElementOf(page, kData), nullptr, false);
  EXPECT_TRUE(data["answers"]["cpu"].is_null());
  EXPECT_TRUE(data["answers"]["requests"].is_null());
  EXPECT_EQ(data["before"]["cpu"]["samples"], 200);
  EXPECT_EQ(data["before"]["requests"]["in_flight"], 1);
  // Those in which most were in progress come first.
  const Json& busiest = data["before"]["requests"]["busiest"];
  ASSERT_EQ(busiest.size(), 2u);
  EXPECT_EQ(busiest[0]["at_ns"], 1'000'000'000);
  EXPECT_EQ(busiest[0]["length_ns"], 1'000'000'000);
  EXPECT_EQ(busiest[1]["finished"], 4);
  const Json profile = Json::parse(
      ElementOf(page,
                "<script id=\"profile-cpu\" class=\"profile earlier\" type=\"application/json\">"),
      nullptr, false);
  EXPECT_EQ(profile["totals"][0], 200 * ProfileScene::kPeriodNs);
}

}  // namespace
}  // namespace hindsight::analyzer
