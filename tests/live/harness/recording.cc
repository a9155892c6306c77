#include "tests/live/harness/recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "recorder/contract/control.h"
#include "recorder/contract/options.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

std::string Name(const json& named) {
  return named.is_null() ? "" : named.at("name").get<std::string>();
}

ReportedGroup Group(const json& group, const json& route, bool is_only_route) {
  ReportedGroup result;
  result.type = Name(group.at("type"));
  for (const json& frame : group.at("path")) result.path.push_back(Name(frame));
  result.count = route.at("count").get<uint64_t>();
  const json& hops = route.at("hops");
  result.hops = hops.size() - 1;
  for (size_t i = 1; i < hops.size(); ++i) {
    result.hop_kinds[hops[i].at("hop").get<std::string>()] += result.count;
  }
  result.outcome = hops.back().at("outcome").get<std::string>();
  // The process may end before the recorder learns that the exception is unhandled: the analyzer
  // infers that.
  const bool is_end = group.at("outcomes").at("probably_unhandled") == group.at("count");
  if (result.outcome == "in_flight" && is_end) result.outcome = "unhandled";
  result.catcher = Name(hops.back().at("caught_in"));
  for (const json& message : group.at("messages")) {
    // Messages are those of the group: with several routes each is taken to have had them all.
    result.messages[message.at("text").get<std::string>()] +=
        is_only_route ? message.at("count").get<uint64_t>() : result.count;
  }
  const json& causes = group.at("causes");
  if (!causes.empty()) result.cause = Name(causes.front().at("type"));
  return result;
}

}  // namespace

EnvironmentVariables StartUp(const std::filesystem::path& output, const std::string& options) {
  // Samples are short: what happens at their start is what is tested.
  const char* events =
      options.find("events.from=") == std::string::npos ? "events.from=start;" : "";
  return {{"CORECLR_ENABLE_PROFILING", "1"},
          {"CORECLR_PROFILER", contract::kProfilerGuid},
          {"CORECLR_PROFILER_PATH", HINDSIGHT_RECORDER},
          {contract::kOptionsVariable, "output=" + output.string() + ";" + events + options}};
}

Ended Trigger(const std::vector<std::string>& arguments, const std::filesystem::path& tmp) {
  std::vector<std::string> command = {HINDSIGHT_TRIGGER};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunToEnd({.arguments = command, .environment = {{"TMPDIR", tmp.string()}}});
}

std::vector<std::filesystem::path> RecordingsIn(const std::filesystem::path& output) {
  std::vector<std::filesystem::path> recordings;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(output, none)) {
    if (entry.path().extension() == ".hindsight") recordings.push_back(entry.path());
  }
  std::ranges::sort(recordings);
  return recordings;
}

std::filesystem::path WhenListening(const std::filesystem::path& output) {
  std::filesystem::path recording;
  // The query of managed code that runs each second runs for the first time once the sessions have
  // begun.
  const bool listens = WaitUntil([&] {
    const auto all = RecordingsIn(output);
    if (all.size() != 1) return false;
    recording = all.front();
    const Ended info = Hindsight("info", recording, {"--json"});
    return info.Succeeded() && (info.output.find("jit_sample") != std::string::npos ||
                                info.output.find("pool_sample") != std::string::npos);
  });
  EXPECT_TRUE(listens) << output;
  return listens ? recording : std::filesystem::path();
}

Ended Hindsight(const std::string& command, const std::filesystem::path& recording,
                const std::vector<std::string>& arguments) {
  std::vector<std::string> line = {HINDSIGHT_ANALYZER, command, recording.string()};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return RunToEnd({.arguments = line});
}

json HindsightJson(const std::string& command, const std::filesystem::path& recording,
                   std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Ended ended = Hindsight(command, recording, arguments);
  json result = json::parse(ended.output, nullptr, /*allow_exceptions=*/false);
  if (result.is_discarded()) {
    throw std::runtime_error("hindsight " + command + ": no JSON; " + ended.Describe());
  }
  return result;
}

std::vector<ReportedGroup> Groups(const std::filesystem::path& recording) {
  std::vector<ReportedGroup> result;
  const json report = HindsightJson("exceptions", recording);
  for (const json& group : report.at("groups")) {
    const json& routes = group.at("routes");
    for (const json& route : routes) result.push_back(Group(group, route, routes.size() == 1));
  }
  return result;
}

}  // namespace hindsight::live
