#include "analyzer/cli/completion.h"

#include <algorithm>

namespace hindsight::cli {

std::string FunctionName(const Program& program) {
  std::string name = "_" + program.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> CommandNames(const Program& program) {
  std::vector<std::string> names;
  for (const Group& group : program.groups) {
    for (const Command* command : group.commands) names.push_back(command->name());
  }
  return names;
}

const Option* OfferedArgument(const Command& command) {
  for (const Option& option : command.options()) {
    if (!option.is_argument()) continue;
    if (option.offer() != Offer::kNothing || !option.choices().empty()) return &option;
  }
  return nullptr;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string ShellQuoted(const std::string& text, const std::string& quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace hindsight::cli
