// A program that says `ready` and then answers a line with a line, until its input ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::bench {

class Target {
 public:
  // Runs until the destructor. Throws std::runtime_error, as do the questions, when it ended early.
  explicit Target(const std::vector<std::string>& arguments);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  pid_t pid() const { return pid_; }
  std::string Ask(const std::string& question);
  std::string NextLine() { return ReadLine(); }  // that it says without being asked

 private:
  std::string ReadLine();

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string read_;  // behind the last line
};

}  // namespace hindsight::bench
