// The requests in a recording are those that the server served: their number, how many failed, and
// the time that they took; all together, and by route.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

std::vector<std::string> WebShop(int runtime) {
  if (runtime == 8) return {HINDSIGHT_WEB_SHOP_8};
  if (runtime == 9) return {HINDSIGHT_WEB_SHOP_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_WEB_SHOP_10};
}

class RequestsTest : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RequestsTest, AreThoseThatTheServerServed) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  const std::filesystem::path log = out / "said.json";
  SampleApplication::Start start{.command = WebShop(runtime),
                                 .arguments = {"--requests", "500", "--slow", "8", "--failing", "7",
                                               "--self-log", log.string()},
                                 .waits_to_go = true};
  if (attached) {  // those that began before it are not reported
    start.arguments.insert(start.arguments.end(), {"--held", "3"});
  } else {
    start.environment = StartUp(out / "out", "sources=requests,gc");
  }
  SampleApplication application(start);
  if (attached) application.Attach("requests,gc");
  const std::filesystem::path recording =
      WhenListening(attached ? application.output() : out / "out");
  ASSERT_FALSE(recording.empty());
  application.Go();  // the server has stopped when it is ready
  if (attached) application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");

  const nlohmann::json said = nlohmann::json::parse(std::ifstream(log));
  EXPECT_EQ(said.at("answered"), said.at("requests").get<int>() - 7 + said.at("held").get<int>());
  EXPECT_EQ(said.at("refused"), 7);
  const RawRecording raw(recording);
  EXPECT_EQ(raw.lost, 0u);
  uint64_t started = 0, finished = 0, failed = 0, busy_ns = 0;
  for (const RequestCounts& counts : raw.requests) {
    started += counts.started();
    finished += counts.finished();
    failed += counts.failed();
    busy_ns += counts.busy_ns();
  }
  EXPECT_EQ(started, said.at("requests"));
  EXPECT_EQ(finished, said.at("requests"));
  EXPECT_EQ(failed, said.at("failed"));
  ASSERT_FALSE(raw.requests.empty());
  EXPECT_EQ(raw.requests.back().in_flight(), 0u);
  // The slow ones wait on a clock of milliseconds. A request ends on the server a little after the
  // client has its response.
  const double busy_ms = static_cast<double>(busy_ns) / 1e6;
  EXPECT_GE(busy_ms, said.at("slow_ms").get<double>() * 0.95);
  EXPECT_LE(busy_ms, said.at("client_ms").get<double>() + 2.0 * static_cast<double>(finished));

  const nlohmann::json reported = HindsightJson("info", recording).at("requests");
  EXPECT_EQ(reported.at("finished"), finished);
  EXPECT_EQ(reported.at("failed"), failed);
  EXPECT_EQ(reported.at("total_ns"), busy_ns);
}

INSTANTIATE_TEST_SUITE_P(Net, RequestsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

class RoutesTest : public testing::TestWithParam<std::tuple<int, bool>> {};

uint64_t CountOf(const nlohmann::json& rows) {
  uint64_t count = 0;
  for (const nlohmann::json& row : rows) count += row.at("count").get<uint64_t>();
  return count;
}

const nlohmann::json& RowOf(const nlohmann::json& rows, const std::string& target) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const nlohmann::json& candidate) {
    return candidate.at("target") == target;
  });
  if (row == rows.end()) throw std::runtime_error("no row of " + target + ": " + rows.dump());
  return *row;
}

TEST_P(RoutesTest, AreThoseOfTheServerWithTheirEndings) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  SampleApplication::Start start{
      .command = WebShop(runtime),
      .arguments = {"--requests", "500", "--slow", "8", "--failing", "7", "--stay"},
      .waits_to_go = true};
  if (!attached) {
    start.environment = StartUp(out / "out", "sources=requests,gc;requests.routes=on");
  }
  SampleApplication application(start);
  if (attached) application.Attach("requests,gc", {"requests.routes=on"});
  const std::filesystem::path recording =
      WhenListening(attached ? application.output() : out / "out");
  ASSERT_FALSE(recording.empty());
  ASSERT_TRUE(WaitUntil(
      [&] { return !HindsightJson("requests", recording).at("routes_from_ns").is_null(); }));
  application.Go();
  // Reported once a second.
  nlohmann::json report;
  EXPECT_TRUE(WaitUntil([&] {
    report = HindsightJson("requests", recording);
    return CountOf(report.at("served")) >= 515 && CountOf(report.at("made")) >= 515;
  })) << report;
  if (attached) application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");

  report = HindsightJson("requests", recording);
  EXPECT_EQ(report.at("is_partial"), false);
  const nlohmann::json& served = report.at("served");
  EXPECT_EQ(served.size(), 3u) << served;
  EXPECT_EQ(RowOf(served, "/item").at("count"), 500);
  EXPECT_EQ(RowOf(served, "/item").at("failed"), 0);
  const nlohmann::json& slow = RowOf(served, "/report");
  EXPECT_EQ(slow.at("count"), 8);
  EXPECT_GE(slow.at("p50_ns"), 49'000'000);
  EXPECT_GE(slow.at("total_ns"), 8 * 49'000'000);
  const nlohmann::json& broken = RowOf(served, "/broken");
  EXPECT_EQ(broken.at("failed"), 7);
  EXPECT_EQ(broken.at("endings").size(), 1u);
  EXPECT_EQ(broken.at("endings").at(0).at("status"), "500");
  EXPECT_EQ(broken.at("endings").at(0).at("error"), "System.InvalidOperationException");
  const nlohmann::json& made = report.at("made");
  ASSERT_EQ(made.size(), 1u) << made;
  EXPECT_TRUE(made.at(0).at("target").get<std::string>().starts_with("127.0.0.1:")) << made;
  EXPECT_EQ(made.at(0).at("count"), 515);
  EXPECT_EQ(made.at(0).at("failed"), 7);
}

INSTANTIATE_TEST_SUITE_P(Net, RoutesTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

// While a session begins, the application uses an ArrayPool for the first time: see
// event_session.h. Without the wait there, one start in three hung.
TEST(RoutesStartTest, TheApplicationStartsWhateverItDoesMeanwhile) {
  const Workspace out;
  for (int after_us = 14'000; after_us < 40'000; after_us += 2'000) {
    std::vector<std::string> command = WebShop(9);
    command.insert(command.end(), {"--rent-after", std::to_string(after_us)});
    Process process({.arguments = command,
                     .environment = StartUp(out / std::to_string(after_us),
                                            "sources=requests,gc;requests.routes=on;"
                                            "events.from=start")},
                    out.path());
    const auto ended = process.Wait();
    ASSERT_TRUE(ended && ended->Succeeded()) << after_us;
  }
}

TEST(NoRequestsTest, AreInAProcessWithoutAServer) {
  const Workspace out;
  Process process({.arguments = Steady({"--seconds", "1"}), .environment = StartUp(out / "out")},
                  out.path());
  const auto ended = process.Wait();
  ASSERT_TRUE(ended && ended->Succeeded());
  const auto recordings = RecordingsIn(out / "out");
  ASSERT_EQ(recordings.size(), 1u);
  EXPECT_TRUE(RawRecording(recordings.front()).requests.empty());
  const nlohmann::json info = HindsightJson("info", recordings.front());
  EXPECT_NE(info.at("process").at("sources").dump().find("requests"), std::string::npos);
  EXPECT_TRUE(info.at("requests").is_null());
}

}  // namespace
}  // namespace hindsight::live
