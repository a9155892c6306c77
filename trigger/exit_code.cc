#include "trigger/exit_code.h"

#include <array>

namespace hindsight::trigger {
namespace {

using enum ExitCode;

constexpr std::array<ExitCodeInfo, 37> kExitCodes = {{
    {kOk, "done"},
    {kInternal, "an error of the trigger itself, or of the system under it"},
    {kUsage, "the command line can't be understood"},
    {kBadOptions, "an option of the recording can't be used"},
    {kSeveralProcesses, "several processes have that name"},
    {kNoSuchProcess, "there is no such process"},
    {kNotDotnet, "the process doesn't run .NET"},
    {kOtherUser, "the process belongs to another user"},
    {kStopped, "the process is stopped"},
    {kZombie, "the process has ended and waits for its parent"},
    {kProcessHidden, "/proc doesn't show what is needed about the process"},
    {kDiagnosticsOff, "the process runs with its diagnostics turned off"},
    {kNoDiagnosticSocket, "the diagnostics socket of the process can't be found"},
    {kForeignSocket, "the diagnostics socket belongs to somebody else"},
    {kArchitecture, "the profiler is built for another processor"},
    {kLibc, "the profiler is built for another C library"},
    {kLibraryMissing, "the profiler isn't where the process would look for it"},
    {kLibraryNotALibrary, "the profiler is not a shared library"},
    {kLibraryUnreadable, "the process may not read the profiler"},
    {kLibraryUnsafe, "others could change the profiler"},
    {kLibraryPath, "the path of the profiler is relative or too long"},
    {kRequestTooLarge, "path and client data don't fit into a message"},
    {kAlreadyRecorded, "the process is being recorded already"},
    {kDetaching, "a recorder is just leaving the process"},
    {kProfilerInEnvironment, "the environment names a profiler already"},
    {kConnectionFailed, "the connection failed or broke"},
    {kSendTimeout, "the process didn't answer in time"},
    {kBadAnswer, "the answer can't be understood"},
    {kUnknownHresult, "the runtime answered with an HRESULT that is not in the table"},
    {kNotRecorded, "the process is not being recorded"},
    {kRecorderSilent, "the recorder in the process doesn't answer"},
    {kRecorderRefused, "the recorder refused, and said why"},
    {kStillClosing, "the recorder was still closing when the time was over"},
    {kSnapshotIncomplete, "the heap snapshot was refused, or is not complete"},
    {kLibraryDamaged, "the profiler's file is cut short, or was overwritten while in use"},
    {kCannotRun, "launch: the command can't be run"},
    {kCommandNotFound, "launch: the command doesn't exist"},
}};

}  // namespace

std::span<const ExitCodeInfo> ExitCodes() { return kExitCodes; }

}  // namespace hindsight::trigger
