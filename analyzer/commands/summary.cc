// `hindsight summary`: what a process was, how well it was recorded, and what all analyses found.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/overview_commands.h"
#include "analyzer/report/overview/overview_report.h"

namespace hindsight::analyzer {
namespace {

struct SummaryOptions {
  std::vector<std::string> paths;
  bool all = false;
  bool json = false;
};

ExitCode Run(const SummaryOptions& options) {
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

void RegisterSummary(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<SummaryOptions>();
  CLI::App* command = app.add_subcommand(
      "summary", "One page: what this process was, and what all analyses found, the worst first");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_flag("--all", options->all, "All findings, not only the first 12");
  command->add_flag("--json", options->json, "Print JSON; has all findings");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
