// `hindsight cpu`: what used the processors: by path, by method, by thread, over time.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/time_option.h"
#include "analyzer/report/cpu/cpu_report.h"

namespace hindsight::analyzer {
namespace {

struct CpuOptions {
  std::vector<std::string> paths;
  CpuQuery query;
  CpuTextOptions text;
  std::string from, to;
  double threshold = 1;
  LinesOption lines;
  bool json = false;
};

std::string CheckTime(const std::string& text) {
  return ParseTime(text) ? std::string()
                         : "'" + text + "' is not a time from the start: 500ms, 10s or 1m30s";
}

ExitCode Run(CpuOptions options) {
  CpuQuery& query = options.query;
  if (!options.from.empty()) query.from_ns = *ParseTime(options.from);
  if (!options.to.empty()) query.to_ns = *ParseTime(options.to);
  if (query.to_ns <= query.from_ns) {
    return Fail(
        {"--to " + options.to + " is not after --from " + options.from + ".", ExitCode::kUsage});
  }
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  if (lines) {
    query.paths.line_of = [&lines](MethodId method, int32_t il_offset) {
      return LineLabel(lines->Of(method, il_offset));
    };
  }
  const CpuProfileReport report = AnalyzeCpu(**model, query);
  options.text.style = DetectTextStyle(STDOUT_FILENO);
  options.text.min_share = options.threshold / 100;
  std::cout << (options.json ? CpuJson(report, query) : CpuText(report, query, options.text));
  if (!options.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

}  // namespace

void RegisterCpu(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<CpuOptions>();
  CLI::App* command = app.add_subcommand(
      "cpu", "What used the processors: hot paths and methods, by thread and over time");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--focus", options->query.focus,
                      "Only paths through methods that contain this, or match it with * and ?");
  command->add_flag("--bottom-up", options->query.bottom_up,
                    "Callers below what they called, in the place of paths from the root");
  command->add_flag("--by-thread", options->text.by_thread,
                    "Each thread with its hottest methods, in the place of paths");
  command->add_option("--thread", options->query.thread, "Only this thread: name, or OS id");
  command->add_option("--from", options->from, "Only from this time after the start on, as 10s")
      ->check(CheckTime);
  command->add_option("--to", options->to, "Only before this time after the start, as 1m30s")
      ->check(CheckTime);
  options->lines.AddTo(*command);
  command->add_flag("--native", options->query.paths.native,
                    "Show frames of native code, the runtime's among them");
  command->add_flag("--plumbing", options->query.paths.plumbing,
                    "Show tasks' and async methods' machinery, and stacks as they really were");
  command->add_option("--top", options->text.top, "Methods and threads to show; 0: all")
      ->capture_default_str();
  command
      ->add_option("--threshold", options->threshold,
                   "Per cent of the CPU time below which a path is folded")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
