#include "analyzer/cli/completion.h"

namespace hindsight::cli {
namespace {

// Escapes what is special to _arguments in a description.
std::string Escaped(const std::string& text, const char* special) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view(special).find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The action of _arguments that offers what `option` accepts.
std::string ActionOf(const Program& program, const Option& option) {
  if (!option.choices().empty()) return "(" + Joined(option.choices()) + ")";
  if (!option.suggested().empty()) {
    const std::string words = Joined(option.suggested());
    return option.suggests_list() ? "_values -s , source " + words : "(" + words + ")";
  }
  switch (option.offer()) {
    case Offer::kRecording:
      return "_files -g \"*.hsr\"";  // and all folders
    case Offer::kFile:
      return "_files";
    case Offer::kFolder:
      return "_files -/";
    case Offer::kProcess:
      return FunctionName(program) + "_processes";
    case Offer::kCommand:
      return "(" + Joined(CommandNames(program)) + ")";
    case Offer::kNothing:
      break;
  }
  return " ";  // something unknown
}

std::string Spec(const Program& program, const Option& option) {
  const std::string words = "[" + Escaped(option.help(), "[]:\\") + "]";
  if (option.is_argument()) {
    const std::string place = option.is_repeatable() ? "*" : "";
    return ShellQuoted(place + ":" + Escaped(option.name(), ":\\") + ":" +
                       ActionOf(program, option));
  }
  const std::string star = option.is_repeatable() ? "*" : "";
  if (option.is_flag()) return ShellQuoted(star + option.name() + words);
  const std::string value = ":" + Escaped(option.value(), ":\\") + ":" + ActionOf(program, option);
  std::string spec = ShellQuoted(star + option.name() + "=" + words + value);
  if (option.letter() != 0) {
    spec += " " + ShellQuoted(star + "-" + option.letter() + words + value);
  }
  return spec;
}

std::string Arguments(const Program& program, const Command& command) {
  std::string text = "        " + command.name() + ")\n          _arguments \\\n";
  for (const Option& option : command.options()) {
    if (option.is_behind_dashes()) {
      text += "            '*::command:_normal' \\\n";
    } else {
      text += "            " + Spec(program, option) + " \\\n";
    }
  }
  return text + "            '--help[Print the help]'\n          ;;\n";
}

}  // namespace

std::string ZshCompletion(const Program& program) {
  const std::string function = FunctionName(program);
  std::string text = "#compdef " + program.name + "\n# Completion of " + program.name +
                     " for zsh: " + program.name + " completion zsh\n\n";
  text += function + "_processes() {\n  local -a ids\n  ids=(${(f)\"$(" + kProcessIds +
          ")\"})\n  compadd -a ids\n}\n\n";
  text += function +
          "() {\n  local curcontext=$curcontext state line\n  local -a commands\n"
          "  _arguments -C '1: :->command' '*:: :->arguments'\n  case $state in\n"
          "    command)\n      commands=(\n";
  for (const Group& group : program.groups) {
    for (const Command* command : group.commands) {
      text += "        " + ShellQuoted(command->name() + ":" + Escaped(command->summary(), "\\:")) +
              "\n";
    }
  }
  text +=
      "      )\n      _describe command commands\n      ;;\n    arguments)\n"
      "      case $words[1] in\n";
  for (const Command& command : program.commands) text += Arguments(program, command);
  text += "      esac\n      ;;\n  esac\n}\n\n";
  // If autoloaded, the file is the body of a function that has its name.
  return text + "if [[ $funcstack[1] == _" + program.name + " ]]; then\n  " + function +
         " \"$@\"\nelse\n  compdef " + function + " " + program.name + "\nfi\n";
}

}  // namespace hindsight::cli
