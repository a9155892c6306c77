#include "trigger/commands/commands.h"

namespace hindsight::trigger {

void AddJson(cli::Command& command, bool& json) {
  command.Flag("--json", json,
               "Print JSON; described by: hindsight-trigger schema " + command.name());
}

void AddTimeout(cli::Command& command, const char* name, double& seconds, const char* help) {
  constexpr uint64_t kLeastNs = 50'000'000, kMostNs = 3600'000'000'000;
  command.Duration(
      name, help, kLeastNs, kMostNs,
      [&seconds](uint64_t ns) { seconds = static_cast<double>(ns) / 1e9; },
      cli::DefaultText(seconds) + "s");
}

}  // namespace hindsight::trigger
