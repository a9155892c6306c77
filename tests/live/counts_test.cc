// Counts are exact, whatever the load: for storms that no recorder can record in every detail, the
// recording has every throw by type and by outcome, and states how many it has details of.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using Json = nlohmann::json;

// From .NET 9 on, the runtime's events report exceptions
// (recorder/sources/exceptions/exception_events.h). A storm at the very start outruns their
// session, and then only so many are certain.
constexpr int kEventsSince = 9;
constexpr int kMostNotified = 8192;

struct Load {
  std::string name;
  int threads;
  int throws;  // on each
  bool generic;
  std::string options;
  bool may_thin;  // there is no room for all details
};

void PrintTo(const Load& storm, std::ostream* out) { *out << storm.name; }

class CountsTest : public testing::TestWithParam<std::tuple<int, Load>> {
 protected:
  Workspace workspace_;
};

class LastWordsTest : public testing::TestWithParam<std::tuple<int, std::string>> {};

// "FlatException", and for a generic one the end that distinguishes it.
std::string ShortName(const std::string& type) {
  const size_t bracket = type.find('<');
  if (bracket == type.npos) return type.substr(type.find('.') + 1);
  const std::string argument = type.substr(bracket + 1);
  const size_t dot =
      argument.find('<') == argument.npos ? argument.npos : argument.rfind('.', argument.find('<'));
  return dot == argument.npos ? "<" + argument : argument.substr(dot + 1);
}

// For each type: "count" and the outcomes, including those without details.
std::map<std::string, std::map<std::string, uint64_t>> ByType(const Json& report) {
  std::map<std::string, std::map<std::string, uint64_t>> types;
  for (const Json& group : report.at("groups")) {
    const auto type = group.at("type").at("name").get<std::string>();
    if (!type.starts_with("ExceptionStorm.")) continue;  // the runtime's own do not count
    auto& counts = types[ShortName(type)];
    counts["count"] += group.at("count").get<uint64_t>();
    counts["throws"] += group.at("throws").at("total").get<uint64_t>();
    for (const auto& [name, count] : group.at("outcomes").items()) {
      const bool caught = name == "caught" || name == "swallowed" || name == "wrapped";
      if (count != 0) counts[caught ? "caught" : name] += count.get<uint64_t>();
    }
  }
  return types;
}

TEST_P(CountsTest, AreExactInAStorm) {
  const auto& [runtime, storm] = GetParam();
  std::string options = storm.options;
  if (runtime >= kEventsSince && storm.threads * storm.throws > kMostNotified) {
    options += options.empty() ? "events.from=start" : ";events.from=start";
  }
  std::vector<std::string> arguments = {"--flat", std::to_string(storm.throws), "--threads",
                                        std::to_string(storm.threads)};
  if (storm.generic) arguments.push_back("--generic");
  const Ended ended = RunToEnd({.arguments = Storm(runtime, arguments),
                                .environment = StartUp(workspace_ / "out", options)});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const auto recordings = RecordingsIn(workspace_ / "out");
  ASSERT_EQ(recordings.size(), 1u);
  const std::filesystem::path& recording = recordings.front();

  const auto throws = static_cast<uint64_t>(storm.throws);
  const auto threads = static_cast<uint64_t>(storm.threads);
  const uint64_t replaced = throws / 10;
  std::map<std::string, std::map<std::string, uint64_t>> expected;
  const auto expect = [&](const std::string& type, uint64_t of) {
    auto& counts = expected[type];
    counts["count"] = counts["throws"] = of * throws;
    counts["replaced"] = of * replaced;
    counts["caught"] = of * (throws - replaced);
  };
  if (!storm.generic) {
    expect("FlatException", threads);
  } else {
    for (const char* argument :
         {"<int>", "<string>", "List<int>>", "Dictionary<string, object>>"}) {
      expect(argument, threads / 4);
    }
  }
  auto& replacing = expected["FlatReplacement"];
  replacing["count"] = replacing["throws"] = replacing["caught"] = threads * replaced;
  const Json report = HindsightJson("exceptions", recording, {"--top", "0"});
  EXPECT_EQ(ByType(report), expected) << report.dump(1).substr(0, 4000);

  // Nothing was dropped, and all reports agree on what has no details.
  const Json verified = HindsightJson("verify", recording);
  EXPECT_TRUE(verified.at("intact").get<bool>()) << verified.dump(1);
  const uint64_t counted = verified.at("counted").at("counted_throws").get<uint64_t>();
  EXPECT_EQ(HindsightJson("info", recording).at("counted"), verified.at("counted"));
  EXPECT_EQ(report.contains("counted") ? report.at("counted").at("throws").get<uint64_t>() : 0,
            counted);
  // Whether anything has to be, depends on how much of a processor the drain thread gets.
  if (storm.may_thin && counted > 0) {
    for (const char* command : {"verify", "info", "exceptions", "summary"}) {
      const Ended said = Hindsight(command, recording);
      EXPECT_NE(said.output.find("Counts, sums and outcomes are exact"), std::string::npos)
          << command << ": " << said.output;
    }
    EXPECT_EQ(Hindsight("verify", recording).output.find("verdict  intact"), std::string::npos);
  }
}

// The throw that ends the process is reported with all its details, and is on disk, although most
// of its kind are only counted.
TEST_P(LastWordsTest, AreOnDiskInAStorm) {
  const auto& [runtime, how] = GetParam();
  constexpr uint64_t kThrows = 5000;
  const Workspace workspace;
  const Ended ended = RunToEnd(
      {.arguments = Storm(
           runtime, {"--flat", std::to_string(kThrows), "--threads", "24", "--unhandled", how}),
       .environment =
           StartUp(workspace / "out", "sources=exceptions;limit.memory=16MiB;events.from=start")});
  // .NET 8 gives up the handler of the signal that stops threads for a collection before it aborts.
  // With or without a recorder, one in 80 such processes is ended by that signal.
  const bool by_suspension = runtime == 8 && ended.signal == SIGRTMIN;
  EXPECT_TRUE(ended.signal == SIGABRT || by_suspension) << ended.Describe();
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  const Json report = HindsightJson("exceptions", recordings.front(), {"--top", "0"});
  uint64_t throws = 0, unhandled = 0, others = 0;
  for (const Json& group : report.at("groups")) {
    if (group.at("type").at("name") != "ExceptionStorm.UncaughtException") continue;
    throws += group.at("count").get<uint64_t>();
    for (const auto& [name, count] : group.at("outcomes").items()) {
      if (name == "unhandled") {
        unhandled += count.get<uint64_t>();
      } else if (name != "caught" && name != "swallowed") {
        others += count.get<uint64_t>();
      }
    }
  }
  EXPECT_EQ(throws, kThrows);
  EXPECT_EQ(unhandled, 1u);
  EXPECT_EQ(others, 0u);
  EXPECT_NE(report.dump().find("nobody catches this"), std::string::npos);
  // Otherwise the test would show nothing.
  EXPECT_GT(report.at("counted").at("throws").get<uint64_t>(), 0u);
}

class StormSafetyTest : public testing::TestWithParam<int> {};

// Continuous collections while exceptions are in flight. With any profiler that is notified of
// exceptions, .NET 10 crashes in 19 of 20 such storms (docs/production.md, Limits).
TEST_P(StormSafetyTest, CollectionsFindEveryReferenceInAStorm) {
  constexpr int kThreads = 24, kThrows = 10'000;
  const Workspace workspace;
  EnvironmentVariables environment = StartUp(workspace / "out", "events.from=start");
  environment.emplace_back("DOTNET_GCgen0size", "0x40000");
  const Ended ended =
      RunToEnd({.arguments = Storm(GetParam(), {"--flat", std::to_string(kThrows), "--threads",
                                                std::to_string(kThreads)}),
                .environment = environment});
  EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
}

INSTANTIATE_TEST_SUITE_P(Net, StormSafetyTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Net, LastWordsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes),
                                          testing::Values("main", "thread", "pool")),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + std::get<1>(info.param);
                         });

const Load kStorms[] = {
    {"Short", 4, 1000, false, "", false},
    {"Generic", 8, 1000, true, "", false},
    {"Long", 4, 40'000, false, "", false},
    {"LittleMemory", 8, 20'000, true, "sources=exceptions;limit.memory=16MiB", true},
};

INSTANTIATE_TEST_SUITE_P(Net, CountsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::ValuesIn(kStorms)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace hindsight::live
