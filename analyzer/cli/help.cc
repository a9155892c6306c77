#include "analyzer/cli/help.h"

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/wrap.h"

namespace hindsight::cli {
namespace {

using analyzer::TextColumns;
using analyzer::Wrap;

constexpr size_t kNarrowest = 50, kWidest = 110;
constexpr size_t kWidestTerm = 24;  // a longer one has a line of its own

class Page {
 public:
  explicit Page(const HelpStyle& style) : style_(style) {}

  void Heading(const std::string& text) {
    text_ += "\n" + (style_.bold ? "\x1b[1m" + text + "\x1b[0m" : text) + "\n";
  }
  void Paragraph(const std::string& text, size_t indent = 0) {
    text_ += std::string(indent, ' ') + Wrap(text, style_.columns - indent, indent) + "\n";
  }
  void Line(const std::string& text = "") { text_ += text + "\n"; }
  // In two columns, aligned with each other.
  void Terms(const std::vector<Term>& terms) {
    size_t width = 0;
    for (const Term& term : terms) {
      if (TextColumns(term.term) <= kWidestTerm) width = std::max(width, TextColumns(term.term));
    }
    const size_t indent = 2 + width + 2;
    for (const Term& term : terms) {
      const size_t length = TextColumns(term.term);
      text_ += "  " + term.term;
      text_ +=
          length > width ? "\n" + std::string(indent, ' ') : std::string(width - length + 2, ' ');
      text_ += Wrap(term.meaning, style_.columns - indent, indent) + "\n";
    }
  }
  void Examples(const std::vector<Example>& examples) {
    for (const Example& example : examples) {
      Line("  " + example.line);
      Paragraph(example.words, 6);
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  const HelpStyle& style_;
  std::string text_;
};

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

HelpStyle DetectHelpStyle(int descriptor) {
  const analyzer::Terminal terminal = analyzer::DetectTerminal(descriptor);
  HelpStyle style;
  if (terminal.columns > 0) style.columns = std::clamp(terminal.columns, kNarrowest, kWidest);
  style.bold = terminal.colours;
  return style;
}

std::string UsageLine(const Program& program, const Command& command) {
  std::string line = program.name + " " + command.name();
  const auto is_named = [](const Option& option) { return !option.is_argument(); };
  if (std::any_of(command.options().begin(), command.options().end(), is_named)) {
    line += " [OPTIONS]";
  }
  for (const Option& option : command.options()) {
    if (!option.is_argument() && option.is_required()) {
      line += " " + option.name() + " " + option.value();
    }
  }
  for (const Option& option : command.options()) {
    if (!option.is_argument()) continue;
    const std::string term = (option.is_behind_dashes() ? "-- " : "") + OptionTerm(option);
    line += option.is_required() ? " " + term : " [" + term + "]";
  }
  return line;
}

std::string OptionTerm(const Option& option) {
  if (option.is_argument()) return option.name() + (option.is_repeatable() ? "..." : "");
  std::string term = option.letter() == 0 ? "" : std::string("-") + option.letter() + ", ";
  term += option.name();
  return option.is_flag() ? term : term + " " + option.value();
}

std::string OptionHelp(const Option& option) {
  std::string words = option.help();
  if (option.is_repeatable() && !option.is_argument()) words += "; may be repeated";
  if (!option.default_text().empty()) words += " (default: " + option.default_text() + ")";
  return words;
}

std::string ProgramHelp(const Program& program, const HelpStyle& style) {
  Page page(style);
  page.Paragraph(program.name + ": " + program.summary);
  if (!program.first_steps.empty()) {
    page.Heading("Getting started");
    page.Examples(program.first_steps);
  }
  for (const Group& group : program.groups) {
    page.Heading(group.title);
    std::vector<Term> terms;
    for (const Command* command : group.commands) {
      terms.push_back({command->name(), command->summary()});
    }
    page.Terms(terms);
  }
  if (!program.files.empty()) {
    page.Heading("Files");
    page.Terms(program.files);
  }
  page.Heading("Exit codes");
  page.Terms(program.exit_codes);
  if (!program.environment.empty()) {
    page.Heading("Environment");
    page.Terms(program.environment);
  }
  page.Line();
  page.Paragraph("Help for one command: " + program.name + " help COMMAND, or man " + program.name +
                 "-COMMAND. " + program.name + " --version prints the version and the commit.");
  return page.Take();
}

std::string ShortHelp(const Program& program, const HelpStyle& style) {
  Page page(style);
  page.Paragraph(program.name + ": " + program.summary);
  page.Heading("Getting started");
  page.Examples(program.first_steps);
  page.Heading("Commands");
  std::vector<Term> terms;
  for (const Group& group : program.groups) {
    std::vector<std::string> names;
    for (const Command* command : group.commands) names.push_back(command->name());
    terms.push_back({group.title, Join(names)});
  }
  page.Terms(terms);
  page.Line();
  page.Paragraph("Descriptions: " + program.name + " --help. Help for one: " + program.name +
                 " help COMMAND.");
  return page.Take();
}

std::string CommandHelp(const Program& program, const Command& command, const HelpStyle& style) {
  Page page(style);
  page.Paragraph(command.summary());
  page.Line();
  page.Paragraph("Usage: " + UsageLine(program, command), 0);
  std::vector<Term> arguments, options;
  for (const Option& option : command.options()) {
    (option.is_argument() ? arguments : options)
        .push_back({OptionTerm(option), OptionHelp(option)});
  }
  if (!arguments.empty()) page.Line();
  page.Terms(arguments);
  page.Heading("Options");
  options.push_back({"-h, --help", "Print this help"});
  page.Terms(options);
  for (const std::string& note : command.notes()) {
    page.Line();
    page.Paragraph(note);
  }
  if (!command.examples().empty()) {
    page.Heading("Examples");
    page.Examples(command.examples());
  }
  if (!command.see_also().empty()) {
    page.Line();
    page.Paragraph("See also: " + Join(command.see_also()));
  }
  return page.Take();
}

}  // namespace hindsight::cli
