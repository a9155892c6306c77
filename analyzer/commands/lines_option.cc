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

}  // namespace hindsight::analyzer
