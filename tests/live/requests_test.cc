// The requests in a recording are those that the server served: their number, how many failed, and
// the time that they took; all together, and by route.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/served_requests.h"

namespace hindsight::live {
namespace {

std::vector<std::string> WebShop(int runtime) {
  if (runtime == 8) return {HINDSIGHT_WEB_SHOP_8};
  if (runtime == 9) return {HINDSIGHT_WEB_SHOP_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_WEB_SHOP_10};
}

std::vector<std::string> Numbers(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {
      "--requests", std::to_string(kFastRequests),    "--slow",   std::to_string(kSlowRequests),
      "--failing",  std::to_string(kFailingRequests), "--closed", std::to_string(kClosedRequests)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class RequestsTest : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RequestsTest, AreThoseThatTheServerServed) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  const std::filesystem::path log = out / "said.json";
  SampleApplication::Start start{.command = WebShop(runtime),
                                 .arguments = Numbers({"--self-log", log.string()}),
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
  EXPECT_EQ(RequestDifferences(recording, said), "");
  uint64_t finished = 0, busy_ns = 0;
  for (const RequestCounts& counts : RawRecording(recording).requests) {
    finished += counts.finished();
    busy_ns += counts.busy_ns();
  }
  // The slow ones wait on a clock of milliseconds. A request ends on the server a little after the
  // client has its response.
  const double busy_ms = static_cast<double>(busy_ns) / 1e6;
  EXPECT_GE(busy_ms, said.at("slow_ms").get<double>() * 0.95);
  EXPECT_LE(busy_ms, said.at("client_ms").get<double>() + 2.0 * static_cast<double>(finished));
}

INSTANTIATE_TEST_SUITE_P(Net, RequestsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

class EarlierRequestsTest : public testing::TestWithParam<int> {};

// The server reports the ends of requests that began before an attach, since another tool, or an
// earlier recording, listened then.
TEST_P(EarlierRequestsTest, AreInProgressAndEndOnce) {
  const Workspace out;
  SampleApplication application({.command = WebShop(GetParam()),
                                 .arguments = Numbers({"--listen", "--held", "3", "--self-log",
                                                       (out / "said.json").string()}),
                                 .waits_to_go = true});
  application.Attach("requests,gc");
  const std::filesystem::path recording = WhenListening(application.output());
  ASSERT_FALSE(recording.empty());
  application.Go();
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");

  const nlohmann::json said = nlohmann::json::parse(std::ifstream(out / "said.json"));
  const int64_t here = said.at("requests");
  const nlohmann::json all = HindsightJson("requests", recording).at("all");
  EXPECT_EQ(all.at("began_before"), 3);
  EXPECT_EQ(all.at("started"), here);
  EXPECT_EQ(all.at("finished"), here + 3);
  // Not what was answered before.
  EXPECT_LE(all.at("server_errors"),
            said.at("failed").get<int64_t>() + said.at("closed").get<int64_t>());
  EXPECT_EQ(RawRecording(recording).requests.back().in_flight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Net, EarlierRequestsTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

class RoutesTest : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RoutesTest, AreThoseOfTheServerWithTheirEndings) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  SampleApplication::Start start{
      .command = WebShop(runtime), .arguments = Numbers({"--stay"}), .waits_to_go = true};
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
  EXPECT_TRUE(
      WaitUntil([&] { return RouteDifferences(HindsightJson("requests", recording)).empty(); }));
  if (attached) application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
  EXPECT_EQ(RouteDifferences(HindsightJson("requests", recording)), "");
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
