#include "trigger/commands/commands.h"

namespace hindsight::trigger {

void AddJson(cli::Command& command, bool& json) { command.Flag("--json", json, "Print JSON"); }

void AddTimeout(cli::Command& command, const char* name, double& seconds, const char* help) {
  command.Value(name, "SECONDS", seconds, help).Range(0.05, 3600);
}

}  // namespace hindsight::trigger
