#include "recorder/contract/application.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "recorder/contract/paths.h"

namespace hindsight::contract {
namespace {

bool IsAssembly(std::string_view argument) {
  return argument.size() > 4 && argument.ends_with(".dll");
}

// Options of the dotnet host that take the next argument as their value (`dotnet --help`).
bool TakesValue(std::string_view option) {
  constexpr std::string_view kOptions[] = {"--additionalprobingpath",
                                           "--additional-deps",
                                           "--depsfile",
                                           "--fx-version",
                                           "--roll-forward",
                                           "--runtimeconfig",
                                           "--roll-forward-on-no-candidate-fx"};
  return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
}

}  // namespace

std::string ApplicationName(const std::vector<std::string>& command_line) {
  if (command_line.empty()) return {};
  std::string_view entry = command_line[0];
  if (ProgramName(entry) == "dotnet") {
    for (size_t i = 1; i < command_line.size(); ++i) {
      if (TakesValue(command_line[i])) {
        ++i;
      } else if (IsAssembly(command_line[i])) {
        entry = command_line[i];
        break;
      }
    }
  }
  entry = ProgramName(entry);
  if (IsAssembly(entry)) entry.remove_suffix(4);
  return std::string(entry);
}

}  // namespace hindsight::contract
