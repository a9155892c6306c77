// A command of `hindsight`: one file that registers itself with the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// Each adds its subcommand to `app`; its callback runs the command and stores how the process ends
// in `exit_code`. `exit_code` outlives the parsing.
void RegisterInfo(CLI::App& app, ExitCode& exit_code);
void RegisterVerify(CLI::App& app, ExitCode& exit_code);
void RegisterExceptions(CLI::App& app, ExitCode& exit_code);
void RegisterThreads(CLI::App& app, ExitCode& exit_code);
void RegisterCpu(CLI::App& app, ExitCode& exit_code);
void RegisterLocks(CLI::App& app, ExitCode& exit_code);
void RegisterPool(CLI::App& app, ExitCode& exit_code);
void RegisterLeaks(CLI::App& app, ExitCode& exit_code);
void RegisterDeadlocks(CLI::App& app, ExitCode& exit_code);
void RegisterTasks(CLI::App& app, ExitCode& exit_code);
void RegisterDiff(CLI::App& app, ExitCode& exit_code);
void RegisterExport(CLI::App& app, ExitCode& exit_code);
void RegisterHeap(CLI::App& app, ExitCode& exit_code);
void RegisterRetained(CLI::App& app, ExitCode& exit_code);
void RegisterDominators(CLI::App& app, ExitCode& exit_code);
void RegisterPaths(CLI::App& app, ExitCode& exit_code);
void RegisterObject(CLI::App& app, ExitCode& exit_code);
void RegisterCollections(CLI::App& app, ExitCode& exit_code);
void RegisterStrings(CLI::App& app, ExitCode& exit_code);
void RegisterGenerations(CLI::App& app, ExitCode& exit_code);

// Prints `error` to stderr as `hindsight: ...`; returns its exit code.
ExitCode Fail(const Error& error);

}  // namespace hindsight::analyzer
