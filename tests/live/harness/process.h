// Child processes with a limited lifetime, for tests.
//
// One thread. A Process kills its whole process group when it goes out of scope; the kernel kills
// it when the test itself dies. With HINDSIGHT_CORES set, one that crashes leaves its core, in the
// folder that the test runs in.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight::live {

// Long enough for a busy machine: only a hang reaches it. Tests wait for conditions, not for times.
inline constexpr std::chrono::seconds kDeadline{90};

struct Command {
  std::vector<std::string> arguments;  // the program first
  // On top of the test's own environment, from which CORECLR_*, HINDSIGHT_* and TMPDIR are removed.
  // An empty value removes a variable.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::function<void()> before_exec = nullptr;  // in the child; async-signal-safe work only
};

struct Ended {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string output;  // stdout
  std::string errors;  // stderr

  bool Succeeded() const { return exit_code == 0; }
  std::string Describe() const;  // for failure messages
};

class Process {
 public:
  // Output goes to files in `folder`, which must outlive the process.
  Process(const Command& command, const std::filesystem::path& folder);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool IsRunning();
  void Signal(int signal) const;  // to the process alone
  // Empty: still running at the deadline.
  std::optional<Ended> Wait(std::chrono::milliseconds deadline = kDeadline);
  std::string Output() const;
  std::string Errors() const;
  // Whether `text` appeared on stdout before the deadline or the end of the process.
  bool WaitForOutput(std::string_view text);

 private:
  bool Reap(bool block);

  pid_t pid_ = -1;
  std::optional<int> status_;
  std::filesystem::path output_;
  std::filesystem::path errors_;
};

// Runs to the end; killed at the deadline, which `signal` then shows.
Ended RunToEnd(const Command& command, std::chrono::milliseconds deadline = kDeadline);

// Polls until `condition` holds. False: it did not before the deadline.
bool WaitUntil(const std::function<bool()>& condition,
               std::chrono::milliseconds deadline = kDeadline);

std::string ReadFile(const std::filesystem::path& file);
void WriteFile(const std::filesystem::path& file, std::string_view content = "");

// A new folder below /tmp with a short name (a socket's path has 107 bytes), removed at the end.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace hindsight::live
