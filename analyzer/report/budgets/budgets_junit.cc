// JUnit's XML is not standardized; this is the part that the readers of Jenkins, GitLab, GitHub and
// Azure have in common.
#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/report/budgets/budgets_report.h"

namespace hindsight::analyzer {
namespace {

using State = BudgetVerdict::State;

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// Whether the three bytes are U+FFFE or U+FFFF, which are not characters in XML.
bool IsNoncharacter(std::string_view bytes) {
  return bytes.starts_with("\xef\xbf\xbe") || bytes.starts_with("\xef\xbf\xbf");
}

// For both attributes and text.
std::string Escape(std::string_view text) {
  const std::string valid = ValidUtf8(text);
  std::string out;
  for (size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += kReplacement;
    } else if (IsNoncharacter(std::string_view(valid).substr(i))) {
      out += kReplacement;
      i += 2;
    } else {
      out += c;
    }
  }
  return PrintableLines(out);
}

std::string Attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + Escape(value) + "\"";
}

std::string Message(const BudgetVerdict& verdict, const TextStyle& style) {
  std::string out;
  if (verdict.measured) {
    out = "measured " + MeasuredText(verdict, style) + ", limit " + LimitText(verdict);
    const std::string& subject = verdict.measured->subject;
    if (!subject.empty()) out += ", of " + subject;
    if (!verdict.reason.empty()) out += ". ";
  }
  return out + verdict.reason;
}

std::string TestCase(const BudgetVerdict& verdict, const BudgetsView& view,
                     const TextStyle& style) {
  const Budget& budget = *verdict.budget;
  std::string out = "    <testcase" + Attribute("classname", "hindsight.budgets") +
                    Attribute("name", budget.name) + Attribute("file", view.file) +
                    Attribute("line", std::to_string(budget.line)) + Attribute("time", "0") + ">\n";
  const std::string message = Attribute("message", Message(verdict, style));
  if (verdict.state == State::kBroken) {
    out += "      <failure" + message + Attribute("type", "budget") + ">" +
           Escape("rule: " + budget.text) + "</failure>\n";
  } else if (verdict.state == State::kSkipped) {
    out += "      <skipped" + message + "/>\n";
  } else {
    out += "      <system-out>" + Escape(Message(verdict, style)) + "</system-out>\n";
  }
  return out + "    </testcase>\n";
}

}  // namespace

std::string BudgetsJunit(const BudgetsView& view) {
  const TextStyle style;
  size_t broken = 0;
  size_t skipped = 0;
  std::string cases;
  for (const BudgetVerdict& verdict : view.verdicts) {
    broken += verdict.state == State::kBroken ? 1 : 0;
    skipped += verdict.state == State::kSkipped ? 1 : 0;
    cases += TestCase(verdict, view, style);
  }
  const std::string counts = Attribute("tests", std::to_string(view.verdicts.size())) +
                             Attribute("failures", std::to_string(broken)) +
                             Attribute("errors", "0") +
                             Attribute("skipped", std::to_string(skipped));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
         Attribute("name", "hindsight check") + counts + ">\n  <testsuite" +
         Attribute("name", "Budgets of " + view.title) + counts + Attribute("time", "0") + ">\n" +
         cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace hindsight::analyzer
