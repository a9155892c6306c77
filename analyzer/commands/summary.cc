// `hindsight summary`: what a process was, how well it was recorded, and what all analyses found.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/overview/overview_report.h"

namespace hindsight::analyzer {
namespace {

struct SummaryOptions {
  std::vector<std::string> paths;
  bool all = false;
  bool json = false;
};

ExitCode Run(SummaryOptions& options) {
  if (options.paths.empty()) {
    if (const ExitCode exit_code = UseNewest(options.paths); exit_code != ExitCode::kOk) {
      return exit_code;
    }
  }
  const Result<LoadedReports> loaded = LoadReports(options.paths);
  if (!loaded) return Fail(loaded.error());
  const Overview overview = FindAll(loaded->reports);
  const OverviewPage page{.reports = &loaded->reports,
                          .overview = &overview,
                          .paths = options.paths,
                          .damages = loaded->damages};
  std::cout << (options.json
                    ? OverviewJson(page)
                    : OverviewText(page, StdoutStyle(), options.all ? 0 : kOverviewFindings));
  return ExitCode::kOk;
}

}  // namespace

void DescribeSummary(cli::Command& command) {
  const auto options = std::make_shared<SummaryOptions>();
  AddRecording(command, options->paths).Required(false);
  command.Flag("--all", options->all, "Show all findings, not just the first 12");
  AddJson(command, options->json);
  command.Note("JSON output contains all findings.");
  command.Note(
      "Without RECORDING it is about the newest one in the recorder's usual folder, which "
      "`hindsight "
      "list` shows. `hindsight RECORDING` is the same as `hindsight summary RECORDING`.");
  command.Example("hindsight summary shop.hindsight", "what was found, the worst first");
  command.Example("hindsight summary", "the same, for the newest recording");
  command.SeeAlso({"hindsight report", "hindsight diff", "hindsight info"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
