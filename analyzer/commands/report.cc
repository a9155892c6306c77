// `hindsight report`: everything about a recording, or about two, as one page for a browser.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/page/page.h"

namespace hindsight::analyzer {
namespace {

struct ReportOptions {
  std::string recording, later;
  std::string file;
};

ExitCode Run(const ReportOptions& options) {
  const bool is_comparison = !options.later.empty();
  const Result<LoadedReports> first = LoadReports(std::vector{options.recording});
  if (!first) return Fail(first.error());
  std::optional<LoadedReports> second;
  if (is_comparison) {
    Result<LoadedReports> loaded = LoadReports(std::vector{options.later});
    if (!loaded) return Fail(loaded.error());
    second = std::move(*loaded);
  }
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  const PageRecording earlier = {&first->reports, options.recording, first->damages};
  PageRecording now = earlier;
  if (second) now = {&second->reports, options.later, second->damages};
  WritePage(now, second ? &earlier : nullptr, "hindsight " HINDSIGHT_VERSION,
            [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ", " << FormatBytes(file->bytes())
            << ". Open it in any browser.\n";
  return ExitCode::kOk;
}

}  // namespace

void RegisterReport(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "One page for a browser, with all that a recording says; of two, what changed");
  command->add_option("recording", options->recording, "Folder or file of a recording")->required();
  command->add_option("later", options->later, "A later recording, to compare with the first one");
  command->add_option("-o,--output", options->file, "The file to write: report.html")->required();
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
