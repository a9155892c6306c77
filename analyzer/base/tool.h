// Other programs that do part of a command's work.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// The path of the program, found in PATH as a shell does. nullopt: it is not installed, or cannot
// be started from here.
std::optional<std::string> FindTool(const std::string& name);

// One of our own programs: next to this one, as both are installed; otherwise as FindTool finds it.
std::optional<std::string> FindSister(const std::string& name);

// The message if FindTool found nothing. `needs`: "--to needs psql, PostgreSQL's own program";
// `install`: a sentence; `instead`: what can be done without it, as the end of a sentence.
Error MissingTool(const std::string& needs, const std::string& install, const std::string& instead);

// Runs a program in `folder` and returns its exit code when it has ended. It shares this process's
// stderr, has no input, and its stdout is dropped. An error: it could not be started, or was ended
// by a signal.
Result<int> RunTool(const std::vector<std::string>& command, const std::string& folder);

struct ToolAnswer {
  int exit_code = 0;
  std::string out, err;
};

// Runs a program in its own process group, so that Ctrl-C does not reach it, and returns its
// output. It has no input. Thread-safe; several may run at a time. An error: it could not be
// started, was ended by a signal, or was killed because it ran for longer than `most_time` or wrote
// more than 4 MiB.
Result<ToolAnswer> AskTool(const std::vector<std::string>& command, std::chrono::seconds most_time);

// During its lifetime, Ctrl-C and termination requests are only noted, so that what was created can
// be removed. They are passed on to a running tool. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool HasCome();
};

// A private folder that is removed with its contents.
class TemporaryFolder {
 public:
  // In `place`, with a name that begins with `name`.
  static Result<TemporaryFolder> Create(const std::string& place, const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace hindsight::analyzer
