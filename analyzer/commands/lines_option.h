// `--lines` and `--symbols`, of the commands that show places in code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct LinesOption {
  bool lines = false;
  std::vector<std::string> folders;  // they say that lines are wanted, too

  // Adds both to `command`; this outlives the parsing.
  void AddTo(cli::Command& command);
  bool wanted() const { return lines || !folders.empty(); }
  // Null if no lines are wanted. `dictionaries` outlives it.
  std::unique_ptr<Lines> Open(const Dictionaries& dictionaries) const;
};

// The notes on lines that are unknown, to stand under a report; empty if there are none.
std::string LineNotes(const Lines* lines);

}  // namespace hindsight::analyzer
