#include "analyzer/cli/man_page.h"

#include <algorithm>
#include <cctype>

#include "analyzer/cli/help.h"

namespace hindsight::cli {
namespace {

// Text for roff: without escapes or requests, with hyphens that can be copied.
std::string Roff(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if (c == '"') {
      roff += "\\(dq";
    } else if ((c == '.' || c == '\'') && roff.empty()) {
      roff += std::string("\\&") + c;
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "What used the processors" -> "what used the processors"; PDB stays.
std::string LowerFirst(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string Heading(const Program& program, const std::string& name, const std::string& summary) {
  return ".TH \"" + Roff(Upper(name)) + "\" 1 \"\" \"" +
         Roff(program.name + " " + program.version) + "\" \"Hindsight\"\n.nh\n.ad l\n.SH NAME\n" +
         Roff(name) + " \\- " + Roff(LowerFirst(summary)) + "\n";
}

std::string Section(const std::string& title) { return ".SH " + Upper(title) + "\n"; }

std::string Definition(const std::string& term, const std::string& words) {
  return ".TP\n.B \"" + Roff(term) + "\"\n" + Roff(words) + "\n";
}

std::string Examples(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples) {
    if (!text.empty()) text += ".PP\n";
    text += Roff(example.words) + ":\n.PP\n.RS 4\n.nf\n" + Roff(example.line) + "\n.fi\n.RE\n";
  }
  return text;
}

// `names`: "hindsight cpu" or "hindsight-trigger", as pages are named.
std::string SeeAlso(const std::vector<std::string>& names) {
  std::string text = Section("See also");
  for (size_t i = 0; i < names.size(); ++i) {
    std::string page = names[i];
    std::replace(page.begin(), page.end(), ' ', '-');
    text += ".BR " + Roff(page) + " (1)" + (i + 1 < names.size() ? ",\n" : "\n");
  }
  return text;
}

std::string ExitCodes(const Program& program) {
  std::string text = Section("Exit codes");
  for (const Term& row : program.exit_codes) text += Definition(row.term, row.meaning);
  return text;
}

std::string Environment(const Program& program) {
  if (program.environment.empty()) return {};
  std::string text = Section("Environment");
  for (const Term& row : program.environment) text += Definition(row.term, row.meaning);
  return text;
}

}  // namespace

std::string ProgramManPage(const Program& program) {
  std::string text = Heading(program, program.name, program.summary);
  text += Section("Synopsis") + ".B " + Roff(program.name) +
          "\n.I COMMAND\n[OPTIONS] [ARGUMENTS]\n.br\n.B " + Roff(program.name) +
          "\nhelp [COMMAND]\n.br\n.B " + Roff(program.name) + "\n\\-\\-version\n";
  if (!program.first_steps.empty()) {
    text += Section("First steps") + Examples(program.first_steps);
  }
  text += Section("Commands");
  std::vector<std::string> pages;
  for (const Group& group : program.groups) {
    text += ".SS " + Roff(group.title) + "\n";
    for (const Command* command : group.commands) {
      text += Definition(command->name(), command->summary());
      pages.push_back(program.name + " " + command->name());
    }
  }
  if (!program.files.empty()) {
    text += Section("Files");
    for (const Term& row : program.files) text += Definition(row.term, row.meaning);
  }
  text += ExitCodes(program) + Environment(program);
  pages.insert(pages.begin(), program.see_also.begin(), program.see_also.end());
  return text + SeeAlso(pages);
}

std::string CommandManPage(const Program& program, const Command& command) {
  std::string text = Heading(program, program.name + "-" + command.name(), command.summary());
  text += Section("Synopsis") + Roff(UsageLine(program, command)) + "\n";
  std::string arguments, options;
  for (const Option& option : command.options()) {
    (option.is_argument() ? arguments : options) +=
        Definition(OptionTerm(option), OptionHelp(option));
  }
  if (!arguments.empty()) text += Section("Arguments") + arguments;
  text += Section("Options") + options + Definition("-h, --help", "Print the help");
  for (const std::string& note : command.notes()) {
    text += (&note == &command.notes().front() ? Section("Notes") : ".PP\n") + Roff(note) + "\n";
  }
  if (!command.examples().empty()) text += Section("Examples") + Examples(command.examples());
  text += ExitCodes(program) + Environment(program);
  std::vector<std::string> pages = {program.name};
  pages.insert(pages.end(), command.see_also().begin(), command.see_also().end());
  return text + SeeAlso(pages);
}

}  // namespace hindsight::cli
