// COMP_WORDS is split at `=`, so `--format=pprof` comes as three words.
#include "analyzer/cli/completion.h"

namespace hindsight::cli {
namespace {

// %F: the name of the function.
constexpr char kHelpers[] = R"(
# Words of $1 that begin with what stands at the cursor.
%F_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

# Recordings: their folders and files, and folders on the way to them.
%F_recordings() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if [[ -d $path || $path == *.hsr ]]; then COMPREPLY+=("$path"); fi
  done < <(compgen -f -- "$cur")
}

# The last of the words that stand at the cursor with commas between them.
%F_list() {
  local head=
  if [[ $cur == *,* ]]; then head=${cur%,*},; fi
  local word
  while IFS= read -r word; do COMPREPLY+=("$head$word"); done < <(compgen -W "$1" -- "${cur##*,}")
}

%F_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}
)";

constexpr char kBegin[] = R"(
%F() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

std::string Replace(std::string text, const std::string& function) {
  for (size_t at = text.find("%F"); at != std::string::npos; at = text.find("%F", at)) {
    text.replace(at, 2, function);
  }
  return text;
}

// The statement that offers what `option` accepts.
std::string OfferOf(const Program& program, const Option& option) {
  const std::string function = FunctionName(program);
  if (!option.choices().empty()) {
    return function + "_words " + ShellQuoted(Joined(option.choices()));
  }
  if (!option.suggested().empty()) {
    return function + (option.suggests_list() ? "_list " : "_words ") +
           ShellQuoted(Joined(option.suggested()));
  }
  switch (option.offer()) {
    case Offer::kRecording:
      return function + "_recordings";
    case Offer::kFile:
      return function + "_paths -f";
    case Offer::kFolder:
      return function + "_paths -d";
    case Offer::kProcess:
      return function + "_words \"$(" + kProcessIds + ")\"";
    case Offer::kCommand:
      return function + "_words " + ShellQuoted(Joined(CommandNames(program)));
    case Offer::kNothing:
      break;
  }
  return ":";
}

std::string Values(const Program& program, const Command& command) {
  std::string text;
  for (const Option& option : command.options()) {
    if (option.is_argument() || option.is_flag()) continue;
    text += "    " + command.name() + ":" + option.name();
    if (option.letter() != 0) text += "|" + command.name() + ":-" + option.letter();
    text += ") " + OfferOf(program, option) + "; return ;;\n";
  }
  return text;
}

std::string OptionNames(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options()) {
    if (!option.is_argument()) names.push_back(option.name());
  }
  names.push_back("--help");
  return Joined(names);
}

}  // namespace

std::string BashCompletion(const Program& program) {
  const std::string function = FunctionName(program);
  std::string text = "# Completion of " + program.name + " for bash: " + program.name +
                     " completion bash\n" + Replace(kHelpers, function) + Replace(kBegin, function);
  text += "  if ((COMP_CWORD == 1)); then\n    " + function + "_words " +
          ShellQuoted(Joined(CommandNames(program)) + " --help --version") + "\n    return\n  fi\n";
  text += "  case $command:$prev in\n";
  for (const Command& command : program.commands) text += Values(program, command);
  text += "  esac\n  if [[ $cur == -* ]]; then\n    case $command in\n";
  for (const Command& command : program.commands) {
    text += "      " + command.name() + ") " + function + "_words " +
            ShellQuoted(OptionNames(command)) + " ;;\n";
  }
  text += "    esac\n    return\n  fi\n  case $command in\n";
  for (const Command& command : program.commands) {
    const Option* const argument = OfferedArgument(command);
    if (argument == nullptr) continue;
    text += "    " + command.name() + ") " + OfferOf(program, *argument) + " ;;\n";
  }
  return text + "  esac\n}\n\ncomplete -F " + function + " " + program.name + "\n";
}

}  // namespace hindsight::cli
