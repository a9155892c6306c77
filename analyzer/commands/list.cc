// `hindsight list`: the recordings in a folder, the newest first.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/cli/usual_folder.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/options.h"
#include "analyzer/reader/find_recordings.h"
#include "analyzer/report/recording/list_report.h"

namespace hindsight::analyzer {
namespace {

struct ListOptions {
  std::string folder;
  bool json = false;
};

ExitCode Run(const ListOptions& options) {
  const std::string folder = options.folder.empty() ? cli::UsualFolder() : options.folder;
  const Result<std::vector<FoundRecording>> all = FindRecordings(folder);
  if (!all) return Fail(all.error());
  const ListView view{folder, *all};
  std::cout << (options.json ? ListJson(view) : ListText(view, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeList(cli::Command& command) {
  const auto options = std::make_shared<ListOptions>();
  command
      .Argument("FOLDER", options->folder,
                "Folder with recordings; default: the recorder's usual folder")
      .Required(false)
      .Offers(cli::Offer::kFolder);
  AddJson(command, options->json);
  command.Example("hindsight list", "the recordings in the recorder's usual folder");
  command.Example("hindsight list /var/log/shop", "those in another one");
  command.SeeAlso({"hindsight summary"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
