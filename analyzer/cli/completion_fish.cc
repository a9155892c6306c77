#include "analyzer/cli/completion.h"

namespace hindsight::cli {
namespace {

std::string Quoted(const std::string& text) { return ShellQuoted(text, "\\'"); }

// The arguments of `complete` that offer what `option` accepts.
std::string OfferOf(const Program& program, const Option& option) {
  if (!option.choices().empty()) return " -x -a " + Quoted(Joined(option.choices()));
  if (!option.suggested().empty()) return " -x -a " + Quoted(Joined(option.suggested()));
  switch (option.offer()) {
    case Offer::kRecording:
      return " -x -a '(__fish_complete_suffix .hsr)'";  // and all folders
    case Offer::kFile:
      return " -r -F";
    case Offer::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::kProcess:
      return std::string(" -x -a ") + Quoted("(" + std::string(kProcessIds) + ")");
    case Offer::kCommand:
      return " -x -a " + Quoted(Joined(CommandNames(program)));
    case Offer::kNothing:
      break;
  }
  return " -x";
}

}  // namespace

std::string FishCompletion(const Program& program) {
  const std::string prefix = "_" + FunctionName(program);  // __hindsight
  std::string text =
      "# Completion of " + program.name + " for fish: " + program.name + " completion fish\n\n";
  text += "function " + prefix +
          "_is\n    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\nend\n\n";
  text += "function " + prefix + "_begins\n    test (count (commandline -opc)) -eq 1\nend\n\n";
  const std::string complete = "complete -c " + program.name;
  text += complete + " -f\n";
  text += complete + " -n " + prefix + "_begins -l help -d 'Print the help'\n";
  text += complete + " -n " + prefix + "_begins -l version -d 'Print the version'\n";
  for (const Group& group : program.groups) {
    for (const Command* command : group.commands) {
      text += complete + " -n " + prefix + "_begins -a " + command->name() + " -d " +
              Quoted(command->summary()) + "\n";
    }
  }
  for (const Command& command : program.commands) {
    const std::string when = complete + " -n '" + prefix + "_is " + command.name() + "'";
    text += "\n";
    for (const Option& option : command.options()) {
      if (option.is_argument()) continue;
      text += when + " -l " + option.name().substr(2);
      if (option.letter() != 0) text += std::string(" -s ") + option.letter();
      if (!option.is_flag()) text += OfferOf(program, option);
      text += " -d " + Quoted(option.help()) + "\n";
    }
    if (const Option* const argument = OfferedArgument(command)) {
      text += when + OfferOf(program, *argument) + "\n";
    }
  }
  return text;
}

}  // namespace hindsight::cli
