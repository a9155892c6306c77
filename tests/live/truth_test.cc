// The truth about ExceptionStorm, tested without a recorder: compared with what the runtime itself
// reports to the program about its throws (AppDomain.FirstChanceException).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/live/harness/process.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/truth.h"

namespace hindsight::live {
namespace {

struct LoggedThrow {
  std::string type;
  std::vector<std::string> frames;
  uint64_t count = 0;
};

// Reflection's name of a method as a C# programmer knows it, without generic arguments.
std::string DisplayName(std::string name) {
  static const std::regex kStateMachine(R"(\+<(\w+)>d__\d+\.MoveNext)");
  static const std::regex kLambda(R"(\+<>c(?:__DisplayClass\d+_\d+)?\.<(\w+)>b__(?:\d+_)?(\d+))");
  static const std::regex kLocalFunction(R"(<(\w+)>g__(\w+)\|\d+_\d+)");
  static const std::regex kArity(R"(`\d+)");
  name = std::regex_replace(name, kStateMachine, ".$1");
  name = std::regex_replace(name, kLambda, ".$1.lambda#$2");
  name = std::regex_replace(name, kLocalFunction, "$1.$2");
  name = std::regex_replace(name, kArity, "");
  return name.starts_with(".Invoke") ? name.substr(1) : name;
}

std::vector<LoggedThrow> ReadLog(const std::filesystem::path& file) {
  std::vector<LoggedThrow> result;
  std::istringstream lines(ReadFile(file));
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    LoggedThrow logged{json.at("throw").at("type").get<std::string>(), {}, json.at("count")};
    for (const auto& frame : json.at("throw").at("frames")) {
      // The managed exception handling of .NET 9 and 10 itself.
      if (frame.get<std::string>().starts_with("System.Runtime.EH.")) continue;
      logged.frames.push_back(DisplayName(frame.get<std::string>()));
    }
    result.push_back(std::move(logged));
  }
  return result;
}

std::vector<std::string> WithoutArguments(std::vector<std::string> path) {
  static const std::regex kArguments("<[^>]*>");
  for (std::string& frame : path) frame = std::regex_replace(frame, kArguments, "");
  return path;
}

class TruthTest : public testing::TestWithParam<int> {};

TEST_P(TruthTest, AgreesWithWhatTheRuntimeReportsTheProgram) {
  const Workspace workspace;
  const std::string log = workspace / "log";
  const Workload workload{.runtime = GetParam(), .scale = 3, .rounds = 2};
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam(), {"--scale", "3", "--rounds", "2", "--self-log", log})});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();

  const Truth truth(StormTruth());
  std::map<std::string, uint64_t> expected_throws;  // by type, hops included
  std::map<std::string, uint64_t> logged_throws;
  std::map<std::pair<std::string, std::vector<std::string>>, uint64_t> expected_on_path;
  const std::vector<LoggedThrow> logged = ReadLog(log);
  for (const LoggedThrow& one : logged) logged_throws[one.type] += one.count;
  for (const TruthEntry& entry : truth.entries()) {
    const uint64_t expected = truth.Expected(entry, workload);
    if (expected == 0) continue;
    expected_throws[entry.type] += expected * (1 + entry.hops);
    // A path that begins with the framework's frames may also be that of the hops.
    const bool includes_hops = entry.path.front() == "*";
    expected_on_path[{entry.type, WithoutArguments(entry.path)}] +=
        expected * (includes_hops ? 1 + entry.hops : 1);
  }
  for (const auto& [place, expected] : expected_on_path) {
    uint64_t on_path = 0;
    for (const LoggedThrow& one : logged) {
      if (one.type == place.first && truth.Matches(place.second, one.frames)) on_path += one.count;
    }
    EXPECT_EQ(on_path, expected) << place.first;
  }
  EXPECT_EQ(logged_throws, expected_throws);
}

INSTANTIATE_TEST_SUITE_P(Net, TruthTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
