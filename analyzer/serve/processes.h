// The .NET processes of this machine, and recording them: what hindsight-trigger does and says.
//
// The trigger is run with arguments that are all written down here, but for the PID, which has to
// be one that it listed, and the folder, which is the one that is served. No shell is involved.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/serve/request.h"

namespace hindsight::analyzer {

// All answers are JSON. Any thread.
class Processes {
 public:
  // `trigger`: the program; none: it is not installed. `folder`: where recordings go; empty: a
  // single recording is served, so there is none.
  Processes(std::optional<std::string> trigger, std::string folder)
      : trigger_(std::move(trigger)), folder_(std::move(folder)) {}

  // {"unavailable": why nothing can be recorded; empty: it can, "choices": {NAME: [[value,
  // title]]},
  //  "processes": as hindsight-trigger list --json}
  Result<std::string> List();
  // Of the process `pid`: {"exit_code", "answer": as hindsight-trigger status --json}.
  Result<std::string> Status(const HttpTarget& target);
  // `verb`: record, snapshot or stop; the parameters: pid, and a value of each of the verb's
  // choices.
  // {"exit_code", "said": lines that the trigger wrote}. What the trigger refuses is an answer, no
  // error.
  Result<std::string> Do(std::string_view verb, const HttpTarget& target);

 private:
  std::string Unavailable() const;
  // The parameter `pid`, if the last list has it.
  Result<std::string> PidOf(const HttpTarget& target);

  const std::optional<std::string> trigger_;
  const std::string folder_;
  std::mutex mutex_;
  std::set<uint64_t> listed_;
};

}  // namespace hindsight::analyzer
