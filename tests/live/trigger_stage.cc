#include "tests/live/trigger_stage.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "tests/live/harness/sample.h"
#include "tests/support/json_validator.h"
#include "trigger/hresult.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;

void BecomeNobody() {
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(125);
}

std::vector<std::string> Join(std::vector<std::string> first, std::vector<std::string> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

fs::path EndFile(const Stage& stage) {
  static std::atomic<int> number = 0;
  return stage / ("end-" + std::to_string(++number));
}

}  // namespace

Stage::Stage() {
  fs::permissions(folder(), fs::perms(0755));
  for (const auto& [name, file] :
       {std::pair("bin", HINDSIGHT_TRIGGER), std::pair("lib", HINDSIGHT_RECORDER)}) {
    fs::create_directory(folder() / name);
    fs::permissions(folder() / name, fs::perms(0755));
    const fs::path copy = folder() / name / fs::path(file).filename();
    fs::copy_file(file, copy);
    fs::permissions(copy, fs::perms(0755));
  }
  fs::create_directory(Recordings());
  fs::permissions(Recordings(), fs::perms(01777));
}

Ended Stage::Run(std::vector<std::string> arguments) const {
  return RunToEnd({.arguments = Join({Trigger()}, std::move(arguments))});
}

Ended Stage::RunAsNobody(std::vector<std::string> arguments) const {
  return RunToEnd(
      {.arguments = Join({Trigger()}, std::move(arguments)), .before_exec = BecomeNobody});
}

nlohmann::json Stage::RunJson(std::vector<std::string> arguments) const {
  const std::string command = arguments.front();
  arguments.emplace_back("--json");
  const Ended ended = Run(std::move(arguments));
  nlohmann::json parsed = nlohmann::json::parse(ended.output, nullptr, false);
  if (parsed.is_discarded()) {
    ADD_FAILURE() << "not JSON: " << ended.Describe();
    return parsed;
  }
  JsonValidator schema(nlohmann::json::parse(Run({"schema", command}).output, nullptr, false));
  for (const std::string& error : schema.Errors(parsed)) ADD_FAILURE() << command << ' ' << error;
  return parsed;
}

Application::Application(const Stage& stage,
                         std::vector<std::pair<std::string, std::string>> environment,
                         std::vector<std::string> launcher, std::function<void()> before_exec)
    : end_(EndFile(stage)),
      process_({.arguments = Join(std::move(launcher), Steady({"--end", end_.string()})),
                .environment = std::move(environment),
                .before_exec = std::move(before_exec)},
               stage.folder()) {
  EXPECT_TRUE(process_.WaitForOutput("ready")) << process_.Errors();
}

testing::AssertionResult Application::EndsWell(std::string_view said) {
  std::ofstream(end_) << "now";
  const std::optional<Ended> ended = process_.Wait();
  if (!ended) return testing::AssertionFailure() << "the application didn't end";
  if (!ended->Succeeded() || ended->output != "ready\ndone\n" || ended->errors != said) {
    return testing::AssertionFailure() << "the application was disturbed: " << ended->Describe();
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult Is(const Ended& ended, trigger::TriggerExit code, std::string_view said) {
  if (ended.exit_code != static_cast<int>(code)) {
    return testing::AssertionFailure()
           << "expected exit code " << static_cast<int>(code) << ": " << ended.Describe();
  }
  if (ended.errors.find(said) == std::string::npos) {
    return testing::AssertionFailure() << "expected \"" << said << "\": " << ended.Describe();
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult Is(const Ended& ended, uint32_t hresult) {
  const trigger::HresultInfo* info = trigger::FindHresult(hresult);
  if (info == nullptr) return testing::AssertionFailure() << "an unknown HRESULT";
  return Is(ended, trigger::ExitCodeOf(*info), info->name);
}

}  // namespace hindsight::live
