// `hindsight report`: everything about a recording, about two, or about a fleet, as one page
// for a browser.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_fleet.h"
#include "analyzer/page/fleet_page.h"
#include "analyzer/page/page.h"

namespace hindsight::analyzer {
namespace {

struct ReportOptions {
  std::string recording, later;
  bool fleet = false;
  std::string file = "report.html";
  SymbolPaths symbols;
};

ExitCode PrintWritten(const std::string& name, uint64_t bytes) {
  std::cout << "Wrote " << Printable(name) << ", " << FormatBytes(bytes)
            << ". Open it in a browser.\n";
  return ExitCode::kOk;
}

// The recordings in one folder, or in two.
ExitCode ReportFleet(const ReportOptions& options) {
  std::vector<std::string> folders = {options.recording};
  if (!options.later.empty()) folders.push_back(options.later);
  const Result<ReadFleet> read = ReadRecordings(folders, true);
  if (!read) return Fail(read.error());
  const Fleet& fleet = read->fleet;
  if (fleet.recordings == 0) {
    return Fail({"No recording in " + Printable(options.recording) +
                 " can be read; `hindsight fleet` says why."});
  }
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  WriteFleetPage({.fleet = &fleet,
                  .read = read->read,
                  .from_catalogue = read->from_catalogue,
                  .catalogue_note = read->catalogue_note},
                 "hindsight " HINDSIGHT_VERSION,
                 [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  return PrintWritten(options.file, file->bytes());
}

ExitCode Run(const ReportOptions& options) {
  if (options.fleet) return ReportFleet(options);
  const ReportScope scope{.symbols = options.symbols};
  const bool is_comparison = !options.later.empty();
  const Result<LoadedReports> first = LoadReports(std::vector{options.recording}, scope);
  if (!first) return Fail(first.error());
  std::optional<LoadedReports> second;
  if (is_comparison) {
    Result<LoadedReports> loaded = LoadReports(std::vector{options.later}, scope);
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
  return PrintWritten(options.file, file->bytes());
}

}  // namespace

void DescribeReport(cli::Command& command) {
  const auto options = std::make_shared<ReportOptions>();
  AddLatest(command, [options] {
    if (!options->later.empty()) {
      return Fail({"Give two recordings, or --latest for one; not both.", ExitCode::kUsage});
    }
    std::vector<std::string> paths;
    if (!options->recording.empty()) paths.push_back(options->recording);
    const ExitCode result = UseNewest(paths);
    if (result == ExitCode::kOk) options->recording = paths.front();
    return result;
  });
  command.Argument("RECORDING", options->recording, "A recording: its folder or a file")
      .Offers(cli::Offer::kRecording)
      .Unless("--latest");
  command
      .Argument(
          "LATER", options->later,
          "A later recording; the page is about this one, and shows what changed since the first")
      .Required(false)
      .Offers(cli::Offer::kRecording);
  command
      .Flag("--fleet", options->fleet,
            "A page about all recordings in a folder, as `hindsight fleet` compares them")
      .Excludes("--latest");
  command.Value("--output", "FILE", options->file, "The file to write")
      .Letter('o')
      .Default("report.html")
      .Offers(cli::Offer::kFile);
  AddSymbols(command, options->symbols);
  command.Note(
      "The page is one self-contained file: it loads nothing and sends nothing. It shows what "
      "matters most, at most 5 MB of it, and says what was left out.");
  command.Example("hindsight report shop.hindsight -o shop.html", "one recording");
  command.Example("hindsight report before.hindsight after.hindsight -o changes.html",
                  "what changed between two");
  command.Example("hindsight report --fleet /srv/recordings -o fleet.html",
                  "findings by hosts and builds, and hosts that differ");
  command.SeeAlso({"hindsight summary", "hindsight fleet", "hindsight diff", "hindsight export"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
