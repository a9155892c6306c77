#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "analyzer/cli/usual_folder.h"
#include "recorder/contract/control.h"
#include "recorder/contract/options.h"
#include "recorder/contract/text.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/launched.h"
#include "trigger/commands/recording_flags.h"
#include "trigger/preflight/preflight.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

// The runtime prefers the path for its own word size or architecture to the generic one.
constexpr const char* kOtherPaths[] = {"CORECLR_PROFILER_PATH_32", "CORECLR_PROFILER_PATH_64",
                                       "CORECLR_PROFILER_PATH_ARM32",
                                       "CORECLR_PROFILER_PATH_ARM64"};

// The JIT compiler reads it when it is loaded; the recorder sees it as well.
constexpr const char* kAsksForInlining = "DOTNET_RichDebugInfo";

Check CheckEnvironment(const ipc::Guid& guid) {
  const char* enabled = std::getenv("CORECLR_ENABLE_PROFILING");
  const char* profiler = std::getenv("CORECLR_PROFILER");
  if (enabled == nullptr || std::strcmp(enabled, "1") != 0 || profiler == nullptr) {
    return std::nullopt;
  }
  if (ipc::ParseGuid(profiler) == guid) return std::nullopt;
  return Failure{TriggerExit::kProfilerInEnvironment,
                 std::string("The environment already sets another profiler, CORECLR_PROFILER=") +
                     profiler + ", and a process can have only one.",
                 "Unset CORECLR_ENABLE_PROFILING to record with Hindsight instead."};
}

struct Launch {
  RecordingFlags recording;
  bool quiet = false;
  bool inlined = false;
  std::vector<std::string> command;
};

// On stderr, which belongs to the command afterwards: where the recording will be, and what to
// type. Each .NET process that the command starts has a recording with its own pid.
void PrintWhere(const std::string& options_text, int command_pid) {
  contract::Options options;
  contract::ParseOptions(options_text, options);
  const std::string folder = !options.output.empty() ? options.output : cli::UsualFolder();
  const std::string pid = std::to_string(command_pid);
  std::fprintf(stderr,
               "Recording process %s, and its .NET children\n"
               "  into  %s/NAME-PID-TIME.hindsight\n"
               "  stop  hindsight-trigger stop %s\n"
               "  read  hindsight summary %s/*-%s-*.hindsight\n"
               "  list  hindsight list %s\n",
               pid.c_str(), contract::Printable(folder).c_str(), pid.c_str(),
               contract::Printable(folder).c_str(), pid.c_str(),
               contract::Printable(folder).c_str());
}

TriggerExit Run(const Launch& launch) {
  const RecordingFlags& recording = launch.recording;
  const std::vector<std::string>& command = launch.command;
  if (command.empty()) {
    return Report({TriggerExit::kUsage, "There is no command to launch.",
                   "Write it after two dashes: hindsight-trigger launch -- dotnet App.dll"},
                  false);
  }
  const Expected<std::string> options = recording.Options();
  if (!options) return Report(options.failure(), false);
  const Expected<ipc::Guid> guid = recording.Profiler();
  if (!guid) return Report(guid.failure(), false);
  if (Check wrong = CheckEnvironment(*guid)) return Report(*wrong, false);
  const std::string given = recording.GivenLibrary();
  const Expected<std::string> library = given.empty() ? FindLibrary() : given;
  if (!library) return Report(library.failure(), false);
  // The command runs with our user and mounts, so what applies to us applies to it.
  const Expected<Process> self = InspectProcess(OwnPid());
  if (!self) return Report(self.failure(), false);
  if (Check wrong = CheckLibrary(*self, *library)) return Report(*wrong, false);

  for (const char* name : kOtherPaths) SetVariable(name, "");
  SetVariable("CORECLR_ENABLE_PROFILING", "1");
  SetVariable("CORECLR_PROFILER", ipc::FormatGuid(*guid));
  SetVariable("CORECLR_PROFILER_PATH", *library);
  if (launch.inlined) SetVariable(kAsksForInlining, "1");
  SetVariable(contract::kOptionsVariable, *options);
  const bool reports = !launch.quiet && recording.OwnRecorder();
  return RunLaunched(command, [reports, &options](int pid) {
    if (reports) PrintWhere(*options, pid);
  });
}

}  // namespace

void DescribeLaunch(cli::Command& command) {
  const auto launch = std::make_shared<Launch>();
  launch->recording.AddTo(command);
  command.Flag("--inlined", launch->inlined,
               "Make the JIT compiler report what it inlines (DOTNET_RichDebugInfo=1), so that CPU "
               "samples show inlined methods");
  command.Flag("--quiet", launch->quiet, "Do not print the recording's location");
  command.Argument("COMMAND", launch->command, "The command and its arguments")
      .BehindDashes()
      .Required(false);
  command.Note(std::string(kHowLaunched) +
               " --set match='*App.dll*' records only processes with a matching command line.");
  command.Example("hindsight-trigger launch -- dotnet Shop.dll", "from the start until it ends");
  command.Example("hindsight-trigger launch --sources cpu,heap --output /var/tmp -- ./Shop",
                  "two signals only, into that folder");
  command.SeeAlso({"hindsight-trigger attach", "hindsight-trigger sources"});
  command.Runs([launch] { return Run(*launch); });
}

}  // namespace hindsight::trigger
