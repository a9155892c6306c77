// Programs of others that do a part of a command's work.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// Where the program is, as a shell finds it: by PATH. None: it is not installed, or cannot be
// started from here.
std::optional<std::string> FindTool(const std::string& name);

// A program of ours: beside this one, as both are installed; else as FindTool finds it.
std::optional<std::string> FindSister(const std::string& name);

// What to tell where FindTool found none. `needs`: "--to needs psql, PostgreSQL's own program";
// `install`: a sentence; `instead`: what can be done without it, as the end of a sentence.
Error MissingTool(const std::string& needs, const std::string& install, const std::string& instead);

// Runs a program in `folder` and returns its exit code when it has ended. It has this process's
// stderr, and nothing to read; what it writes to stdout is dropped. An error: it could not be
// started, or was ended by a signal.
Result<int> RunTool(const std::vector<std::string>& command, const std::string& folder);

struct ToolAnswer {
  int exit_code = 0;
  std::string out, err;
};

// Runs a program in a process group of its own, so that Ctrl-C is not for it, and returns what it
// wrote. It has nothing to read. Any thread, several at a time. An error: it could not be started,
// was ended by a signal, or ran for longer than `most_time` or wrote more than 4 MiB, and was ended
// for that.
Result<ToolAnswer> AskTool(const std::vector<std::string>& command, std::chrono::seconds most_time);

// While one lives, Ctrl-C and requests to end only say so, and what was made can be removed. A tool
// that runs is reported as well. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool HasCome();
};

// A private folder, removed with all that is in it.
class TemporaryFolder {
 public:
  // In `place`, under a name that begins with `name`.
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
