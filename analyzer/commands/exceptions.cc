// `hindsight exceptions`: what was thrown, along which paths, and what became of it.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/time_option.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/exceptions_text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kTextTop = 10;
constexpr size_t kTextMessages = 3;

struct ExceptionsOptions {
  std::vector<std::string> paths;
  ExceptionQuery query;
  std::string from;
  std::string to;
  std::optional<size_t> top;
  std::optional<size_t> messages;
  size_t frames = 8;
  double threshold = 1;
  LinesOption lines;
  bool tree = false;
  bool json = false;
};

std::string CheckTime(const std::string& text) {
  return ParseTime(text) ? std::string()
                         : "'" + text + "' is not a time from the start: 500ms, 10s or 1m30s";
}

ExitCode Run(const ExceptionsOptions& options) {
  ExceptionScope scope;
  if (!options.from.empty()) scope.from_ns = *ParseTime(options.from);
  if (!options.to.empty()) scope.to_ns = *ParseTime(options.to);
  scope.apart_by_thread = !options.query.thread.empty();
  if (scope.to_ns <= scope.from_ns) {
    return Fail(
        {"--to " + options.to + " is not after --from " + options.from + ".", ExitCode::kUsage});
  }
  if (options.tree && options.lines.wanted()) {
    return Fail({"--tree has no place for --lines: its methods stand for all their lines.",
                 ExitCode::kUsage});
  }
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths, scope);
  if (!model) return Fail(model.error());

  const ExceptionReport report =
      AnalyzeExceptions(**model, options.query, scope.from_ns, scope.to_ns);
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  if (options.tree) {
    const ExceptionTree tree = BuildExceptionTree(report, options.threshold / 100);
    std::cout << (options.json ? ExceptionTreeJson(report, tree)
                               : ExceptionTreeText(report, tree, DetectTextStyle(STDOUT_FILENO)));
  } else if (options.json) {
    std::cout << ExceptionsJson(report, options.top.value_or(0), options.messages.value_or(0),
                                lines.get());
  } else {
    std::cout << ExceptionsText(report, {.top = options.top.value_or(kTextTop),
                                         .messages = options.messages.value_or(kTextMessages),
                                         .frames = options.frames,
                                         .style = DetectTextStyle(STDOUT_FILENO),
                                         .lines = lines.get()});
  }
  return ExitCode::kOk;
}

}  // namespace

void RegisterExceptions(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<ExceptionsOptions>();
  CLI::App* command = app.add_subcommand(
      "exceptions",
      "What was thrown: by type and path, with times, messages, and what became of it");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--type", options->query.type,
                      "Only types that contain this, or match it with * and ?");
  command->add_option("--method", options->query.method,
                      "Only exceptions with such a method on their path, or that it caught");
  command->add_option("--thread", options->query.thread,
                      "Only exceptions first thrown on this thread: name, or OS id");
  command->add_option("--from", options->from, "Only from this time after the start on, as 10s")
      ->check(CheckTime);
  command->add_option("--to", options->to, "Only before this time after the start, as 1m30s")
      ->check(CheckTime);
  command->add_option("--top", options->top, "Paths shown; 0: all. Default: 10, with --json all");
  command->add_option("--messages", options->messages,
                      "Messages shown of each path. Default: 3, with --json all");
  command
      ->add_option("--frames", options->frames,
                   "Frames shown of each path, 0: all (--json always has all)")
      ->capture_default_str();
  options->lines.AddTo(*command);
  command->add_flag("--tree", options->tree, "The paths as one tree, from the threads' roots");
  command
      ->add_option("--threshold", options->threshold,
                   "With --tree: per cent of all exceptions below which a branch is folded")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
