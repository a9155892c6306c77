#include "tests/live/harness/application.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace hindsight::live {
namespace {

constexpr std::chrono::seconds kSnapshotDeadline{180};

Command Line(SampleApplication::Start start, const std::filesystem::path& folder) {
  std::vector<std::string> line = std::move(start.command);
  line.insert(line.end(), {"--end", folder / "end"});
  if (start.waits_to_go) line.insert(line.end(), {"--go", folder / "go"});
  line.insert(line.end(), start.arguments.begin(), start.arguments.end());
  start.environment.emplace_back("TMPDIR", folder.string());
  return {.arguments = std::move(line),
          .environment = std::move(start.environment),
          .before_exec = std::move(start.before_exec)};
}

}  // namespace

SampleApplication::SampleApplication(Start start)
    : process_(Line(start, workspace_.path()), workspace_.path()) {
  EXPECT_TRUE(process_.WaitForOutput(start.waits_to_go ? "started" : "ready")) << process_.Errors();
}

void SampleApplication::Go() {
  WriteFile(workspace_ / "go");
  EXPECT_TRUE(process_.WaitForOutput("ready")) << process_.Errors();
}

void SampleApplication::Trigger(const std::string& command,
                                std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {command, std::to_string(pid())});
  const Ended ended = live::Trigger(arguments, workspace_.path());
  EXPECT_TRUE(ended.Succeeded()) << command << ": " << ended.Describe();
}

void SampleApplication::Attach(const std::string& sources,
                               const std::vector<std::string>& options) const {
  std::vector<std::string> arguments = {"--profiler",      HINDSIGHT_RECORDER, "--output",
                                        output().string(), "--sources",        sources};
  for (const std::string& option : options) arguments.insert(arguments.end(), {"--set", option});
  Trigger("attach", std::move(arguments));
}

Ended SampleApplication::Snapshot(std::vector<std::string> arguments) const {
  std::vector<std::string> command = {
      HINDSIGHT_TRIGGER, "snapshot",        std::to_string(pid()), "--profiler", HINDSIGHT_RECORDER,
      "--output",        output().string(), "--timeout",           "120",        "--json"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunToEnd({.arguments = command, .environment = {{"TMPDIR", workspace_.path().string()}}},
                  kSnapshotDeadline);
}

std::filesystem::path SampleApplication::SnapshotFile(std::vector<std::string> arguments) const {
  const Ended ended = Snapshot(std::move(arguments));
  const auto answer = nlohmann::json::parse(ended.output, nullptr, /*allow_exceptions=*/false);
  if (!ended.Succeeded() || answer.is_discarded() || !answer.value("ok", false)) {
    ADD_FAILURE() << ended.Describe();
    return {};
  }
  return answer.at("snapshot").at("path").get<std::string>();
}

std::string SampleApplication::End() {
  WriteFile(workspace_ / "end");
  const std::optional<Ended> ended = process_.Wait();
  if (!ended) {
    ADD_FAILURE() << "the application did not end";
    return {};
  }
  constexpr std::string_view kReady = "ready\n";
  const size_t ready = ended->output.find(kReady);
  if (!ended->Succeeded() || !ended->errors.empty() || ready == std::string::npos) {
    ADD_FAILURE() << "the application was disturbed: " << ended->Describe();
    return {};
  }
  return ended->output.substr(ready + kReady.size());
}

}  // namespace hindsight::live
