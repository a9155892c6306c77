// `hindsight`: everything that is done with a recording afterwards.
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "analyzer/commands/command.h"
#include "analyzer/commands/event_command.h"
#include "analyzer/commands/overview_commands.h"

namespace {

using hindsight::analyzer::ExitCode;

constexpr char kFooter[] =
    "A recording is a folder (*.hindsight), one of its files (*.hsr), or several files in one.\n"
    "\n"
    "Exit codes:\n"
    "  0   done\n"
    "  1   `verify` found that something is damaged or lost\n"
    "  2   the input cannot be used: not a recording, not readable, or of a newer version\n"
    "  64  the command line is wrong\n";

int Run(int argc, char** argv) {
  CLI::App app("hindsight: what a recording of a .NET process says");
  app.set_version_flag("--version", "hindsight " HINDSIGHT_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);

  ExitCode exit_code = ExitCode::kOk;
  hindsight::analyzer::RegisterSummary(app, exit_code);
  hindsight::analyzer::RegisterInfo(app, exit_code);
  hindsight::analyzer::RegisterVerify(app, exit_code);
  hindsight::analyzer::RegisterExceptions(app, exit_code);
  hindsight::analyzer::RegisterThreads(app, exit_code);
  hindsight::analyzer::RegisterCpu(app, exit_code);
  hindsight::analyzer::RegisterLocks(app, exit_code);
  hindsight::analyzer::RegisterPool(app, exit_code);
  hindsight::analyzer::RegisterAllocations(app, exit_code);
  hindsight::analyzer::RegisterGc(app, exit_code);
  hindsight::analyzer::RegisterTimeline(app, exit_code);
  hindsight::analyzer::RegisterLeaks(app, exit_code);
  hindsight::analyzer::RegisterDeadlocks(app, exit_code);
  hindsight::analyzer::RegisterTasks(app, exit_code);
  hindsight::analyzer::RegisterDiff(app, exit_code);
  hindsight::analyzer::RegisterExport(app, exit_code);
  hindsight::analyzer::RegisterHeap(app, exit_code);
  hindsight::analyzer::RegisterRetained(app, exit_code);
  hindsight::analyzer::RegisterDominators(app, exit_code);
  hindsight::analyzer::RegisterPaths(app, exit_code);
  hindsight::analyzer::RegisterObject(app, exit_code);
  hindsight::analyzer::RegisterCollections(app, exit_code);
  hindsight::analyzer::RegisterStrings(app, exit_code);
  hindsight::analyzer::RegisterGenerations(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : static_cast<int>(ExitCode::kUsage);
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "hindsight: the output could not be written; is the disk full?\n";
    return static_cast<int>(ExitCode::kUnusableInput);
  }
  return static_cast<int>(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  google::protobuf::SetLogHandler(nullptr);  // damage is told by us, in sentences
  try {
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "hindsight: there is not enough memory for this; a heap needs 60 bytes an object: "
                 "read it on a larger machine\n";
    return static_cast<int>(ExitCode::kUnusableInput);
  } catch (const std::exception& error) {
    std::cerr << "hindsight: internal error: " << error.what() << "; please report it\n";
    return static_cast<int>(ExitCode::kUnusableInput);
  }
}
