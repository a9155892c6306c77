#include "analyzer/commands/lines_option.h"

namespace hindsight::analyzer {

void LinesOption::AddTo(CLI::App& command) {
  command.add_flag("--lines", lines, "Show source lines, from the PDBs of the recorded modules");
  command
      .add_option("--symbols", folders,
                  "A folder with PDBs, or with the build's assemblies; repeatable. Implies --lines")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false);
}

std::unique_ptr<Lines> LinesOption::Open(const Dictionaries& dictionaries) const {
  if (!wanted()) return nullptr;
  return std::make_unique<Lines>(dictionaries, folders);
}

std::string LineNotes(const Lines* lines) {
  std::string notes;
  if (lines == nullptr) return notes;
  for (const std::string& sentence : lines->Notes()) notes += "Note: " + sentence + "\n";
  return notes;
}

}  // namespace hindsight::analyzer
