// Options shared by attach and launch: what to record, and with which library.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "recorder/contract/control.h"
#include "trigger/ipc/message.h"
#include "trigger/result.h"

namespace hindsight::trigger {

struct RecordingFlags {
  std::string duration;
  std::string output;
  std::string sources;
  std::vector<std::string> settings;  // key=value
  std::string library;
  std::string guid = contract::kProfilerGuid;

  // This object must outlive the parsing.
  void AddTo(cli::Command& command);

  // In the syntax of recorder/contract/options.h, parsed once here, so that a mistake is reported
  // before the process is contacted. A relative output folder is relative to our working directory.
  Expected<std::string> Options() const;
  Expected<ipc::Guid> Profiler() const;
  // As given, made absolute; empty: not given.
  std::string GivenLibrary() const;
  bool OwnRecorder() const;
};

}  // namespace hindsight::trigger
