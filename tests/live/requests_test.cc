// The requests in a recording are those that the server served: their number, how many failed, and
// the time that they took.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
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
  if (attached) {  // of those that began before it nothing is told
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
  // client has its answer.
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
