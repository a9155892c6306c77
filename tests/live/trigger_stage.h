// An installation of Hindsight in its own folder, and a healthy application.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"
#include "trigger/exit_code.h"

namespace hindsight::live {

// The user that tests run as, other than root.
inline constexpr uid_t kNobody = 65534;

// bin/hindsight-trigger and lib/libhindsight.so, as they are installed, readable by everyone.
class Stage {
 public:
  Stage();

  std::filesystem::path operator/(std::string_view name) const { return workspace_ / name; }
  const std::filesystem::path& folder() const { return workspace_.path(); }
  std::string Trigger() const { return (workspace_ / "bin/hindsight-trigger").string(); }
  std::string Library() const { return (workspace_ / "lib/libhindsight.so").string(); }
  // A folder that everyone can write, removed with the stage.
  std::string Recordings() const { return (workspace_ / "recordings").string(); }

  // Runs the trigger to its end.
  Ended Run(std::vector<std::string> arguments) const;
  Ended RunAsNobody(std::vector<std::string> arguments) const;
  // Runs with --json; what it prints must conform to `schema COMMAND`.
  nlohmann::json RunJson(std::vector<std::string> arguments) const;

 private:
  Workspace workspace_;
};

// Steady, running until it is told to end.
class Application {
 public:
  explicit Application(const Stage& stage,
                       std::vector<std::pair<std::string, std::string>> environment = {},
                       std::vector<std::string> launcher = {},
                       std::function<void()> before_exec = nullptr);

  pid_t pid() const { return process_.pid(); }
  std::string Pid() const { return std::to_string(pid()); }
  Process& process() { return process_; }
  bool IsRunning() { return process_.IsRunning(); }
  // Ends it, and reports whether it did its work undisturbed; `said`: everything on its stderr.
  testing::AssertionResult EndsWell(std::string_view said = "");

 private:
  std::filesystem::path end_;
  Process process_;
};

// Whether a run of the trigger ended with `code`; if not, with everything that it printed.
testing::AssertionResult Is(const Ended& ended, trigger::TriggerExit code,
                            std::string_view said = "");
testing::AssertionResult Is(const Ended& ended, uint32_t hresult);

}  // namespace hindsight::live
