// `--lines` and `--symbols`, for commands that show places in code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct LinesOption {
  bool lines = false;
  std::vector<std::string> folders;  // giving any also requests lines

  // Adds both to `command`; this must outlive the parsing.
  void AddTo(cli::Command& command);
  bool wanted() const { return lines || !folders.empty(); }
  // Null if lines are not wanted. `dictionaries` must outlive it.
  std::unique_ptr<Lines> Open(const Dictionaries& dictionaries) const;
};

// Notes on unknown lines, to be placed below a report; empty if there are none.
std::string LineNotes(const Lines* lines);

}  // namespace hindsight::analyzer
