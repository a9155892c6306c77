// The process that a command is about: a pid, or the name of an application.
#pragma once

#include <string>

#include "analyzer/cli/command.h"
#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

struct Target {
  int pid = 0;
  std::string name;
  bool wait = false;
  double wait_timeout_s = 0;  // 0: no limit

  // This object must outlive the parsing. `waits`: the command may wait for the process.
  void AddTo(cli::Command& command, bool waits);

  // The process, with preflight's checks done. Several of one name: a failure that lists them.
  // Waiting ends when the process exists and its runtime has opened its diagnostics port.
  Expected<Process> Find() const;
};

}  // namespace hindsight::trigger
