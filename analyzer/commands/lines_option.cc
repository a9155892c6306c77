#include "analyzer/commands/lines_option.h"

#include "analyzer/commands/options.h"

namespace hindsight::analyzer {

void LinesOption::AddTo(cli::Command& command) {
  command.Flag("--lines", lines, "Show source lines, from the PDBs of the recorded modules");
  command
      .Value(
          "--symbols", "FOLDER", folders,
          "A folder with PDBs, the build's assemblies, or debug files of native libraries; implies "
          "--lines")
      .Verify(CheckFolder)
      .Offers(cli::Offer::kFolder);
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
