// The .NET processes on this machine, and recording them: what hindsight-trigger does and reports.
//
// All arguments of the trigger are fixed here, except the PID, which must be one that it listed,
// and the folder, which is the one being served. No shell is involved.
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

// All results are JSON. Thread-safe.
class Processes {
 public:
  // `trigger`: the program; nullopt: it is not installed. `folder`: where recordings are stored;
  // empty: a single recording is served, so there is none.
  Processes(std::optional<std::string> trigger, std::string folder)
      : trigger_(std::move(trigger)), folder_(std::move(folder)) {}

  // {"unavailable": why nothing can be recorded; empty: it can, "choices": {NAME: [[value,
  // title]]},
  //  "processes": as hindsight-trigger list --json}
  Result<std::string> List();
  // Of the process `pid`: {"exit_code", "answer": as hindsight-trigger status --json}.
  Result<std::string> Status(const HttpTarget& target);
  // `verb`: record, snapshot or stop; the parameters: pid, and a value for each of the verb's
  // choices. {"exit_code", "said": lines that the trigger wrote}. A refusal by the trigger is a
  // result, not an error.
  Result<std::string> Do(std::string_view verb, const HttpTarget& target);

 private:
  std::string Unavailable() const;
  // The parameter `pid`, if it is in the last list.
  Result<std::string> PidOf(const HttpTarget& target);

  const std::optional<std::string> trigger_;
  const std::string folder_;
  std::mutex mutex_;
  std::set<uint64_t> listed_;
};

}  // namespace hindsight::analyzer
