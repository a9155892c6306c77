// Which process a command is about: a pid, or the name of an application.
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
  double wait_timeout_s = 0;  // 0: as long as it takes

  // This outlives the parsing. `waits`: the command may wait until the process is there.
  void AddTo(cli::Command& command, bool waits);

  // The process, checked so far as preflight does. Several of one name: a failure that lists them.
  // Waiting ends when the process is there and its runtime has opened its diagnostics port.
  Result<Process> Find() const;
};

}  // namespace hindsight::trigger
