// `hindsight verify`: what of a recording is intact, what is lost, where, and why.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/console.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/options.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/summarize.h"
#include "analyzer/report/recording/verify_report.h"

namespace hindsight::analyzer {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
  bool json = false;
};

ExitCode Run(const VerifyOptions& options) {
  Progress progress("verifying");
  Result<Recording> recording = Recording::Open(options.paths, &progress);
  if (!recording) return Fail(recording.error());
  const Integrity& integrity = recording->integrity();
  RecordingSummary summary;
  if (integrity.has_events) {
    Result<RecordingSummary> read = Summarize(*recording, &progress);
    if (!read) return Fail(read.error());
    summary = std::move(read).value();
  }
  std::vector<HeapCheck> heaps;
  if (!integrity.heaps.empty()) heaps = CheckHeaps(*recording, &progress);
  const VerifyView view{summary, integrity, heaps};
  std::cout << (options.json ? VerifyJson(view)
                             : VerifyText(view, DetectTextStyle(kStandardOutput)));
  return view.Intact() ? ExitCode::kOk : ExitCode::kDamageFound;
}

}  // namespace

void DescribeVerify(cli::Command& command) {
  const auto options = std::make_shared<VerifyOptions>();
  AddRecording(command, options->paths);
  AddJson(command, options->json);
  command.Example("hindsight verify shop.hindsight",
                  "whether everything is intact; exit code 1 if not");
  command.SeeAlso({"hindsight info"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
