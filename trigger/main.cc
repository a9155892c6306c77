// hindsight-trigger: starts and controls recordings of .NET processes.
#include <cstdio>
#include <exception>
#include <string>

#include "analyzer/cli/arguments.h"
#include "analyzer/cli/commit.h"
#include "analyzer/cli/program.h"
#include "analyzer/cli/schema_command.h"
#include "analyzer/cli/streams.h"
#include "recorder/contract/control.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"

namespace hindsight::trigger {
namespace {

void Describe(cli::Program& program) {
  program.name = "hindsight-trigger";
  program.summary = "starts and controls recordings of .NET processes";
  program.version = contract::kVersion;
  program.commit = cli::kCommit;
  program.usage_exit_code = static_cast<int>(TriggerExit::kUsage);
  program.first_steps = {
      {"hindsight-trigger list", "the .NET processes"},
      {"hindsight-trigger attach 4242 --for 30s", "record one for 30 seconds"},
      {"hindsight-trigger launch -- dotnet Shop.dll", "record one from its start"},
  };
  program.exit_codes = {
      {"0", "done"},
      {"1", "internal or system error"},
      {"3", "invalid recording option"},
      {"4", "several processes have the given name"},
      {"10-29",
       "checks before the attach: 10 no such process, 11 not .NET, 12 another user's, 13 stopped, "
       "21 library missing, 27 already recorded, ..."},
      {"30-39", "communication: 31 no answer in time, 34 not recorded, ..."},
      {"64", "usage error"},
      {"40-", "one per HRESULT of the runtime; full list: hindsight-trigger exit-codes"},
  };
  program.see_also = {"hindsight"};
  constexpr char kRecord[] = "Record";
  constexpr char kSteer[] = "Commands";
  DescribeAttach(program.Add(kRecord, "attach", "Record a running process"));
  DescribeLaunch(program.Add(kRecord, "launch",
                             "Run a command and record it and its .NET children from the start"));
  DescribeSnapshot(
      program.Add(kRecord, "snapshot", "Take a heap snapshot, or a snapshot of all threads"));
  DescribeList(program.Add(kSteer, "list", "List .NET processes, and which are being recorded"));
  DescribeStatus(program.Add(kSteer, "status", "Show a recording's status"));
  DescribeCopying(program, kSteer);
  DescribeStop(
      program.Add(kSteer, "stop", "Stop a recording; returns when the files are complete"));
  DescribeSources(
      program.Add(kSteer, "sources", "List the sources: what can be recorded, and its cost"));
  DescribeContainers(program);
  DescribeExitCodes(program.Add(kSteer, "exit-codes", "List all exit codes"));
  cli::DescribeSchema(
      program.Add(kSteer, "schema", "Describe a command's JSON output, as JSON Schema"),
      program.name, "status", {DescribedCommands(), AnswerSchema});
  cli::AddCommonCommands(program);
}

int Main(int argc, char** argv) {
  cli::Program program;
  Describe(program);
  return cli::Run(program, cli::Arguments(argc, argv));
}

}  // namespace
}  // namespace hindsight::trigger

int main(int argc, char** argv) {
  hindsight::cli::PrepareStandardStreams();
  try {
    return hindsight::trigger::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight-trigger: unexpected error: %s\n", error.what());
    return static_cast<int>(hindsight::trigger::TriggerExit::kInternal);
  }
}
