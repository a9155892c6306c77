// A sample that runs until it is asked to end, and the trigger.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"

namespace hindsight::live {

class SampleApplication {
 public:
  struct Start {
    std::vector<std::string> command;         // the control options come after it,
    std::vector<std::string> arguments = {};  // and these after them
    EnvironmentVariables environment = {};    // of the runtime and the recorder
    bool waits_to_go = false;                 // begins with Go
    std::function<void()> before_exec = {};   // as in Command
  };
  // Waits until it is ready; with `waits_to_go`, only until it has started.
  explicit SampleApplication(Start start);

  Process& process() { return process_; }
  pid_t pid() const { return process_.pid(); }
  // Its TMPDIR; recordings that the trigger makes are in `out` there.
  const std::filesystem::path& folder() const { return workspace_.path(); }
  std::filesystem::path output() const { return workspace_ / "out"; }

  // Tells one that waits to begin, and waits until it is ready.
  void Go();
  // Runs `hindsight-trigger COMMAND PID arguments...`; fails the test if it does not succeed.
  void Trigger(const std::string& command, std::vector<std::string> arguments = {}) const;
  // Attaches with these sources, and further options as `name=value`.
  void Attach(const std::string& sources, const std::vector<std::string>& options = {}) const;
  // `hindsight-trigger snapshot PID --json` with these arguments.
  Ended Snapshot(std::vector<std::string> arguments = {}) const;
  // The file that the trigger reported; if it did not succeed, empty, and the test fails.
  std::filesystem::path SnapshotFile(std::vector<std::string> arguments = {}) const;
  // Tells it to end; returns what it printed after `ready`, and fails the test if it was disturbed.
  std::string End();

 private:
  Workspace workspace_;
  Process process_;
};

}  // namespace hindsight::live
