// hindsight-trigger: starts and steers recordings of .NET processes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/contract/control.h"
#include "trigger/commands/commands.h"

namespace hindsight::trigger {
namespace {

constexpr char kFooter[] =
    "Exit codes: 0 done; 1 an error of the trigger or the system; 2 usage; 3 a bad option of the "
    "recording;\n10 to 29 found before asking the process (10 no such process, 11 not .NET, 12 "
    "another user's, 13 stopped,\n21 library missing, 27 already recorded, ...); 30 to 37 found "
    "while talking to it (31 no answer in time,\n34 not recorded, ...); 40 and up: one for each "
    "HRESULT of the runtime. All of them: hindsight-trigger exit-codes";

int Main(int argc, char** argv) {
  // What stands behind `--` is the command of launch, and none of our business.
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::vector<std::string> command;
  if (!arguments.empty() && arguments[0] == "launch") {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes != arguments.end()) {
      command.assign(dashes + 1, arguments.end());
      arguments.erase(dashes, arguments.end());
    }
  }

  ExitCode result = ExitCode::kOk;
  CLI::App program("Starts and steers recordings of .NET processes", "hindsight-trigger");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("hindsight-trigger ") + contract::kVersion);
  program.footer(kFooter);
  AddAttach(program, result);
  AddSnapshot(program, result);
  AddStop(program, result);
  AddStatus(program, result);
  AddList(program, result);
  AddLaunch(program, command, result);
  AddSources(program, result);
  AddExitCodes(program, result);

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    program.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  return static_cast<int>(result);
}

}  // namespace
}  // namespace hindsight::trigger

int main(int argc, char** argv) {
  try {
    return hindsight::trigger::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight-trigger: unexpected error: %s\n", error.what());
    return static_cast<int>(hindsight::trigger::ExitCode::kInternal);
  }
}
