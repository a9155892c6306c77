// `hindsight info`: what was recorded, of which process, at what cost.
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
#include "analyzer/report/recording/info_report.h"

namespace hindsight::analyzer {
namespace {

struct InfoOptions {
  std::vector<std::string> paths;
  bool json = false;
};

ExitCode Run(const InfoOptions& options) {
  Progress progress("reading");
  Result<Recording> recording = Recording::Open(options.paths, &progress);
  if (!recording) return Fail(recording.error());
  const Integrity& integrity = recording->integrity();
  std::vector<HeapFacts> heaps;
  if (!integrity.heaps.empty()) heaps = ListHeaps(*recording);
  RecordingSummary summary;
  if (integrity.has_events) {
    Result<RecordingSummary> read = Summarize(*recording, &progress);
    if (!read) return Fail(read.error());
    summary = std::move(read).value();
  }
  const InfoView view{summary, integrity, heaps};
  std::cout << (options.json ? InfoJson(view) : InfoText(view, DetectTextStyle(kStandardOutput)));
  return ExitCode::kOk;
}

}  // namespace

void DescribeInfo(cli::Command& command) {
  const auto options = std::make_shared<InfoOptions>();
  AddRecording(command, options->paths);
  AddJson(command, options->json);
  command.Example("hindsight info shop.hindsight", "process, options, size and cost");
  command.SeeAlso({"hindsight verify", "hindsight timeline"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
