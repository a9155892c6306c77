// hindsight-trigger: starts and steers recordings of .NET processes.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "analyzer/cli/commit.h"
#include "analyzer/cli/json_schema.h"
#include "analyzer/cli/program.h"
#include "recorder/contract/control.h"
#include "trigger/commands/commands.h"

namespace hindsight::trigger {
namespace {

void Describe(cli::Program& program) {
  program.name = "hindsight-trigger";
  program.summary = "starts and steers recordings of .NET processes";
  program.version = contract::kVersion;
  program.commit = cli::kCommit;
  program.usage_exit_code = static_cast<int>(ExitCode::kUsage);
  program.first_steps = {
      {"hindsight-trigger list", "which processes run .NET"},
      {"hindsight-trigger attach 4242 --for 30s", "record one of them for half a minute"},
      {"hindsight-trigger launch -- dotnet Shop.dll", "record one from its start"},
  };
  program.exit_codes = {
      {"0", "done"},
      {"1", "an error of the trigger or the system"},
      {"2", "the command line is wrong"},
      {"3", "a bad option of the recording"},
      {"4", "several processes have the name that was given"},
      {"10-29",
       "found before asking the process: 10 no such process, 11 not .NET, 12 another user's, 13 "
       "stopped, 21 library missing, 27 already recorded, ..."},
      {"30-39", "found while talking to it: 31 no answer in time, 34 not recorded, ..."},
      {"40-", "one for each HRESULT of the runtime; all of them: hindsight-trigger exit-codes"},
  };
  program.see_also = {"hindsight"};
  constexpr char kRecord[] = "Record";
  constexpr char kSteer[] = "Look and steer";
  DescribeAttach(program.Add(kRecord, "attach", "Start to record a running process"));
  DescribeLaunch(program.Add(
      kRecord, "launch", "Run a command and record it, and its .NET children, from their start"));
  DescribeSnapshot(program.Add(
      kRecord, "snapshot",
      "Record all objects of a process, or where its threads stand, in one short pause"));
  DescribeList(program.Add(kSteer, "list", "Show the .NET processes, and which are recorded"));
  DescribeStatus(program.Add(kSteer, "status", "Say how the recording of a process gets on"));
  DescribeStop(program.Add(kSteer, "stop",
                           "End the recording of a process; returns when the files are complete"));
  DescribeSources(program.Add(kSteer, "sources", "Show what can be recorded, and what it costs"));
  DescribeExitCodes(program.Add(kSteer, "exit-codes", "Show what each exit code means"));
  cli::DescribeSchema(
      program.Add(kSteer, "schema", "What the JSON of a command holds, as JSON Schema"),
      program.name, "status");
  cli::AddCommonCommands(program);
}

int Main(int argc, char** argv) {
  cli::Program program;
  Describe(program);
  return cli::Run(program, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
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
