// `hindsight exceptions`: what was thrown, where, and what became of it.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/exceptions_text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kTextTop = 10;
constexpr size_t kTextMessages = 3;

struct ExceptionsOptions {
  std::vector<std::string> paths;
  ExceptionQuery query;
  TimeOptions times;
  std::optional<size_t> top;
  std::optional<size_t> messages;
  size_t frames = 8;
  double min_share = 1;  // percent
  LinesOption lines;
  bool tree = false;
  bool json = false;
};

ExitCode Run(const ExceptionsOptions& options) {
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  ExceptionScope scope;
  scope.from_ns = window->from_ns;
  scope.to_ns = window->to_ns;
  scope.apart_by_thread = !options.query.thread.empty();
  if (options.tree && options.lines.wanted()) {
    return Fail({"--tree cannot show --lines: it merges all lines of a method.", ExitCode::kUsage});
  }
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths, scope);
  if (!model) return Fail(model.error());

  const ExceptionReport report =
      AnalyzeExceptions(**model, options.query, scope.from_ns, scope.to_ns);
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  if (options.tree) {
    const ExceptionTree tree = BuildExceptionTree(report, options.min_share / 100);
    std::cout << (options.json ? ExceptionTreeJson(report, tree)
                               : ExceptionTreeText(report, tree, DetectTextStyle(kStandardOutput)));
  } else if (options.json) {
    std::cout << ExceptionsJson(report, options.top.value_or(0), options.messages.value_or(0),
                                lines.get());
  } else {
    std::cout << ExceptionsText(report, {.top = options.top.value_or(kTextTop),
                                         .messages = options.messages.value_or(kTextMessages),
                                         .frames = options.frames,
                                         .style = DetectTextStyle(kStandardOutput),
                                         .lines = lines.get()});
  }
  return ExitCode::kOk;
}

}  // namespace

void DescribeExceptions(cli::Command& command) {
  const auto options = std::make_shared<ExceptionsOptions>();
  AddRecording(command, options->paths);
  command.Value("--top", "N", options->top, "Places to show; 0: all")
      .Default("10, with --json all");
  AddType(command, options->query.type);
  command.Value("--focus", "METHOD", options->query.method,
                "Only exceptions that passed through, or were caught in, a matching method");
  AddThread(command, options->query.thread, "Only exceptions first thrown on");
  AddTimes(command, options->times);
  command.Value("--messages", "N", options->messages, "Messages to show per place")
      .Default("3, with --json all");
  AddFrames(command, options->frames);
  command.Flag("--tree", options->tree, "Show the paths as one call tree");
  AddMinShare(command, options->min_share,
              "With --tree: fold branches with less than this percentage of the exceptions");
  options->lines.AddTo(command);
  AddJson(command, options->json);
  command.Example("hindsight exceptions shop.hindsight", "what is thrown most, and on which paths");
  command.Example("hindsight exceptions shop.hindsight --tree --type Timeout",
                  "where timeouts come from, as a call tree");
  command.SeeAlso({"hindsight timeline", "hindsight threads"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
