// `hindsight check`: whether a recording keeps its budgets; for CI.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/budgets/budget_file.h"
#include "analyzer/budgets/judge.h"
#include "analyzer/budgets/measured.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  std::string budgets, baseline, junit;
  bool list = false;
  bool json = false;
};

std::string TitleOf(const LoadedReports& loaded) {
  if (loaded.model) return RecordingTitle(loaded.model->facts);
  RecordingFacts facts;
  facts.application = loaded.heap->model->application;
  facts.pid = loaded.heap->model->pid;
  facts.runtime_version = loaded.heap->model->runtime_version;
  std::string title = RecordingTitle(facts);
  return title.substr(0, title.rfind(", ")) + ", a heap snapshot";
}

Result<void> WriteFile(const std::string& name, const std::string& text) {
  Result<OutputFile> file = OutputFile::Create(name);
  if (!file) return file.error();
  file->Write(text);
  return file->Finish();
}

ExitCode List(const CheckOptions& options) {
  std::optional<Measured> measured;
  if (!options.paths.empty()) {
    const Result<LoadedReports> loaded = LoadReports(options.paths);
    if (!loaded) return Fail(loaded.error());
    measured.emplace(loaded->reports);
  }
  const Measured* const values = measured ? &*measured : nullptr;
  std::cout << (options.json ? MeasuresJson(values) : MeasuresText(values, StdoutStyle()));
  return ExitCode::kOk;
}

ExitCode Run(const CheckOptions& options) {
  if (options.list) return List(options);
  if (options.paths.empty() || options.budgets.empty()) {
    return Fail(
        {"Give a recording, and a budget file with --budget FILE; --list shows all measures.",
         ExitCode::kUsage});
  }
  // Mistakes in the budgets are reported before the recordings are read.
  const Result<std::vector<Budget>> budgets = LoadBudgets(options.budgets);
  if (!budgets) return Fail(budgets.error());
  const Result<LoadedReports> after = LoadReports(options.paths);
  if (!after) return Fail(after.error());
  Measured measured(after->reports);
  std::optional<Measured> before_measured;
  if (!options.baseline.empty()) {
    const Result<LoadedReports> before = LoadReports({&options.baseline, 1});
    if (!before) return Fail(before.error());
    before_measured.emplace(before->reports);
    measured.Add(Compare(before->reports, after->reports));
  }
  const std::vector<BudgetVerdict> verdicts =
      JudgeBudgets(*budgets, measured, before_measured ? &*before_measured : nullptr);
  const BudgetsView view{.title = TitleOf(*after),
                         .model = after->model.get(),
                         .file = options.budgets,
                         .baseline = options.baseline,
                         .verdicts = verdicts,
                         .damages = after->damages};
  if (!options.junit.empty()) {
    const Result<void> written = WriteFile(options.junit, BudgetsJunit(view));
    if (!written) return Fail(written.error());
  }
  std::cout << (options.json ? BudgetsJson(view) : BudgetsText(view, StdoutStyle()));
  for (const BudgetVerdict& verdict : verdicts) {
    if (verdict.state == BudgetVerdict::State::kBroken) return ExitCode::kDamageFound;
  }
  return ExitCode::kOk;
}

}  // namespace

void DescribeCheck(cli::Command& command) {
  const auto options = std::make_shared<CheckOptions>();
  AddRecording(command, options->paths).Required(false);
  command
      .Value("--budget", "FILE", options->budgets,
             "Budgets, in TOML: a table [budgets] with lines NAME = \"RULE\"")
      .Offers(cli::Offer::kFile);
  command
      .Value("--baseline", "RECORDING", options->baseline,
             "The recording that limits such as `<= 110 % of baseline` and differences refer to")
      .Offers(cli::Offer::kRecording);
  command.Value("--junit", "FILE", options->junit, "Also write the results as JUnit XML")
      .Offers(cli::Offer::kFile);
  command.Flag("--list", options->list, "List all measures; with a recording, also their values");
  AddJson(command, options->json);
  command.Note(
      "A rule is MEASURE [of KIND SUBJECT] COMPARISON LIMIT: \"deadlocks = 0\", \"retained of type "
      "Shop.Order < 50 MB\", \"exceptions/s < 5\", \"p99 GC pause < 20 ms\", \"cpu of method "
      "Shop.Cart.* <= 110 % of baseline\", \"differences worse = 0\".");
  command.Note(
      "A budget on something that was not recorded fails, unless it is optional: NAME = { rule = "
      "\"RULE\", optional = true }.");
  command.Note("Exit code 0: all budgets are met; 1: at least one is exceeded.");
  command.Example("hindsight check shop.hindsight --budget budgets.toml --junit budgets.xml",
                  "a gate in a CI job");
  command.Example("hindsight check new.hindsight --baseline old.hindsight --budget budgets.toml",
                  "compared with an earlier recording");
  command.Example("hindsight check --list shop.hindsight", "all measures and their values");
  command.SeeAlso({"hindsight summary", "hindsight diff"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
