// A program that prints `ready` and then replies to each line with a line, until its input ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::bench {

class Target {
 public:
  // Runs until the destructor. Throws std::runtime_error, as do the queries, if it exited early.
  explicit Target(const std::vector<std::string>& arguments);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  pid_t pid() const { return pid_; }
  std::string Ask(const std::string& question);
  std::string NextLine() { return ReadLine(); }  // printed without a query

 private:
  std::string ReadLine();

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string read_;  // after the last line
};

}  // namespace hindsight::bench
