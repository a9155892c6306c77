// ParseBudgets and ParseRule are total: any bytes give budgets that can be judged, or printable
// sentences: one for a rule, a line for each mistake in a file. What is accepted can be written as
// JUnit's XML.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/budgets/budget_file.h"
#include "analyzer/budgets/judge.h"
#include "analyzer/report/budgets/budgets_report.h"

namespace {

using namespace hindsight::analyzer;

void ExpectSentence(std::string_view sentence) {
  if (sentence.empty()) std::abort();
  for (const char c : sentence) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
  }
}

void ExpectLines(std::string_view lines) {
  size_t end;
  while ((end = lines.find('\n')) != lines.npos) {
    ExpectSentence(lines.substr(0, end));
    lines.remove_prefix(end + 1);
  }
  ExpectSentence(lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::variant<BudgetRule, RuleError> rule = ParseRule(text);
  if (const RuleError* const error = std::get_if<RuleError>(&rule)) {
    ExpectSentence(error->sentence);
    if (error->at > size) std::abort();
  } else if (std::get<BudgetRule>(rule).kind == nullptr) {
    std::abort();
  }

  const Result<std::vector<Budget>> budgets = ParseBudgets(text, "budgets.toml");
  if (!budgets) {
    ExpectLines(budgets.error().sentence);
    return 0;
  }
  const MeasureKind* const kind = FindMeasureKind("deadlocks.count", "");
  const Measured measured({{kind, "", 1, 0}}, {kind});
  const std::vector<BudgetVerdict> verdicts = JudgeBudgets(*budgets, measured, &measured);
  if (verdicts.size() != budgets->size()) std::abort();
  const BudgetsView view{.title = "Shop",
                         .model = nullptr,
                         .file = "budgets.toml",
                         .baseline = "",
                         .verdicts = verdicts,
                         .damages = {}};
  for (const char c : BudgetsJunit(view)) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
  }
  BudgetsText(view, {});
  BudgetsJson(view);
  return 0;
}
