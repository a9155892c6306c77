// `hindsight cpu`: what used the processors: by path, by method, by thread, over time.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/cpu/cpu_report.h"

namespace hindsight::analyzer {
namespace {

struct CpuOptions {
  std::vector<std::string> paths;
  CpuQuery query;
  CpuTextOptions text;
  TimeOptions times;
  double min_share = 1;  // percent
  LinesOption lines;
  std::string sort;
  bool json = false;
};

ExitCode Run(CpuOptions options) {
  CpuQuery& query = options.query;
  if (!options.sort.empty()) {
    query.order = options.sort == "total" ? MethodOrder::kTotal : MethodOrder::kSelf;
  }
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  query.from_ns = window->from_ns;
  query.to_ns = window->to_ns;
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths, {}, options.lines.folders);
  if (!model) return Fail(model.error());
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  if (lines) {
    query.paths.line_of = [&lines](MethodId method, int32_t il_offset) {
      return LineLabel(lines->Of(method, il_offset));
    };
  }
  const CpuProfileReport report = AnalyzeCpu(**model, query);
  options.text.style = DetectTextStyle(kStandardOutput);
  options.text.min_share = options.min_share / 100;
  std::cout << (options.json ? CpuJson(report, query) : CpuText(report, query, options.text));
  if (!options.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

}  // namespace

void DescribeCpu(cli::Command& command) {
  const auto options = std::make_shared<CpuOptions>();
  CpuQuery& query = options->query;
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Methods and threads");
  AddFocus(command, query.focus);
  AddBottomUp(command, query.bottom_up);
  command.Flag("--by-thread", options->text.by_thread,
               "Show each thread with its hottest methods instead of paths");
  command
      .Value("--sort", "ORDER", options->sort, "self: excluding callees; total: including callees")
      .Choices({"self", "total"})
      .Default("total for your code, self for all methods");
  AddThread(command, query.thread);
  AddTimes(command, options->times);
  AddMinShare(command, options->min_share,
              "Fold paths with less than this percentage of the CPU time");
  options->lines.AddTo(command);
  command.Flag("--native", query.paths.native, "Show native frames, including the runtime's");
  AddPlumbing(command, query.paths.plumbing);
  AddJson(command, options->json);
  command.Example("hindsight cpu shop.hindsight", "the hottest paths and methods");
  command.Example("hindsight cpu shop.hindsight --focus Parse --bottom-up",
                  "callers of the methods named Parse");
  command.Example("hindsight cpu shop.hindsight --from 20s --to 25s --by-thread",
                  "the threads that ran in these five seconds");
  command.SeeAlso({"hindsight timeline", "hindsight export", "hindsight locks"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
