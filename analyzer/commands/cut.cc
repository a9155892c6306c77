// `hindsight cut`: a part of a recording, as a separate recording.
#include "analyzer/cut/cut.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/options.h"

namespace hindsight::analyzer {
namespace {

struct CutOptions {
  std::vector<std::string> paths;
  TimeOptions times;
  std::string output;
};

ExitCode Run(const CutOptions& options) {
  if (options.times.from.empty() && options.times.to.empty()) {
    return Fail({"Say which part to cut out: --from TIME, --to TIME, or both.", ExitCode::kUsage});
  }
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  Progress progress("cutting");
  const Result<CutDone> done = CutRecording({.paths = options.paths,
                                             .from_ns = window->from_ns,
                                             .to_ns = window->to_ns,
                                             .output = options.output},
                                            &progress);
  if (!done) return Fail(done.error());
  std::cout << "Cut out " << FormatDuration(static_cast<uint64_t>(done->last_ns - done->first_ns))
            << ": " << Plural(done->files, "file");
  if (done->snapshots > 0) {
    std::cout << ", " << Plural(done->snapshots, "heap snapshot") << " among them";
  }
  std::cout << ", " << FormatBytes(done->bytes) << ".\n  read  hindsight summary "
            << Printable(ShellWord(options.output)) << "\n";
  return ExitCode::kOk;
}

}  // namespace

void DescribeCut(cli::Command& command) {
  const auto options = std::make_shared<CutOptions>();
  AddRecording(command, options->paths);
  AddTimes(command, options->times);
  command.Value("--output", "NEW", options->output, "The new recording: a folder that is created")
      .Letter('o')
      .Required(true)
      .Offers(cli::Offer::kFolder);
  command.Note(
      "The new recording contains the events of that span, what they refer to, and the heap "
      "snapshots taken in it. Segments are copied whole, so it begins and ends up to a second "
      "outside of the span (a quiet process: ten). Times are still measured from the start of the "
      "whole recording.");
  command.Example("hindsight cut shop.hindsight --from 10m --to 12m -o incident.hindsight",
                  "two minutes of it");
  command.SeeAlso({"hindsight-trigger keep", "hindsight info", "hindsight verify"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
