// `hindsight fleet`: what is wrong in many recordings, on how many hosts, and since which build.
#include "analyzer/fleet/fleet.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/read_fleet.h"
#include "analyzer/report/fleet/fleet_report.h"

namespace hindsight::analyzer {
namespace {

struct FleetOptions {
  std::vector<std::string> paths;
  bool all = false;
  bool no_catalogue = false;
  bool json = false;
};

ExitCode Run(const FleetOptions& options) {
  const Result<ReadFleet> read = ReadRecordings(options.paths, !options.no_catalogue);
  if (!read) return Fail(read.error());
  const Fleet& fleet = read->fleet;
  const FleetPage page{.fleet = &fleet,
                       .read = read->read,
                       .from_catalogue = read->from_catalogue,
                       .catalogue_note = read->catalogue_note};
  std::cout << (options.json ? FleetJson(page)
                             : FleetText(page, StdoutStyle(), options.all ? 0 : kFleetFindings));
  return fleet.recordings > 0 ? ExitCode::kOk : ExitCode::kUnusableInput;
}

}  // namespace

void DescribeFleet(cli::Command& command) {
  const auto options = std::make_shared<FleetOptions>();
  command.Argument("PATH", options->paths, "Folders with recordings at any depth, or recordings")
      .Offers(cli::Offer::kFolder);
  command.Flag("--all", options->all, "Show all findings, hosts and errors, not just the first");
  command.Flag("--no-catalogue", options->no_catalogue,
               "Read all recordings again, and keep nothing of them");
  AddJson(command, options->json);
  command.Note(
      "What was found in a recording is kept in the folder that was given, in "
      "hindsight-fleet.jsonl, so that the next run reads only new and changed recordings. The file "
      "can be deleted at any time.");
  command.Note(
      "A build is known by the module version id of the application's own assembly. Hosts are "
      "compared if at least five have the same application.");
  command.Example("hindsight fleet /srv/recordings", "all recordings below a folder");
  command.SeeAlso({"hindsight summary", "hindsight list", "hindsight sql"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
