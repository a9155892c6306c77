// `hindsight list`: the recordings in a folder, the newest first.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/cli/usual_folder.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/options.h"
#include "analyzer/reader/find_recordings.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

struct ListOptions {
  std::string folder;
  bool json = false;
};

std::string ListText(const std::string& folder, const std::vector<FoundRecording>& all) {
  if (all.empty()) return "There is no recording in " + Printable(folder) + ".\n";
  const TextStyle style = StdoutStyle();
  using Align = Table::Align;
  Table table({{"started (UTC)"},
               {"application"},
               {"pid", Align::kRight},
               {"size", Align::kRight},
               {"snapshots", Align::kRight},
               {"recording", Align::kLeft, true}});
  for (const FoundRecording& found : all) {
    const std::string time = FormatUnixTime(found.started_unix_ns);  // 2026-11-21T10:15:30.123Z
    table.AddRow({time.substr(0, 10) + " " + time.substr(11, 8), Printable(found.application),
                  found.pid == 0 ? "" : std::to_string(found.pid), FormatBytes(found.bytes),
                  found.snapshots == 0 ? "" : FormatCount(found.snapshots),
                  Printable(PathOf(found.path).filename().string())});
  }
  return Plural(all.size(), "recording") + " in " + Printable(folder) + ", the newest first\n\n" +
         table.Render(style, 2);
}

std::string ListJson(const std::string& folder, const std::vector<FoundRecording>& all) {
  Json rows = Json::array();
  for (const FoundRecording& found : all) {
    rows.push_back({{"path", JsonText(found.path)},
                    {"application", JsonText(found.application)},
                    {"pid", found.pid},
                    {"started_unix_ns", found.started_unix_ns},
                    {"bytes", found.bytes},
                    {"snapshots", found.snapshots}});
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "list"},
                   {"folder", JsonText(folder)},
                   {"recordings", std::move(rows)}});
}

ExitCode Run(const ListOptions& options) {
  const std::string folder = options.folder.empty() ? cli::UsualFolder() : options.folder;
  const Result<std::vector<FoundRecording>> all = FindRecordings(folder);
  if (!all) return Fail(all.error());
  std::cout << (options.json ? ListJson(folder, *all) : ListText(folder, *all));
  return ExitCode::kOk;
}

}  // namespace

void DescribeList(cli::Command& command) {
  const auto options = std::make_shared<ListOptions>();
  command.Argument("FOLDER", options->folder, "Where to look; default: the recorder's usual folder")
      .Required(false)
      .Offers(cli::Offer::kFolder);
  AddJson(command, options->json);
  command.Example("hindsight list", "the recordings in the recorder's usual folder");
  command.Example("hindsight list /var/log/shop", "those in another one");
  command.SeeAlso({"hindsight summary"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
