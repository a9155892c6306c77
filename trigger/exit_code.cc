#include "trigger/exit_code.h"

#include <array>

namespace hindsight::trigger {
namespace {

using enum TriggerExit;

constexpr std::array<ExitCodeInfo, 37> kExitCodes = {{
    {kOk, "done"},
    {kInternal, "internal or system error of the trigger"},
    {kBadOptions, "invalid recording option"},
    {kSeveralProcesses, "several processes have that name"},
    {kNoSuchProcess, "no such process"},
    {kNotDotnet, "the process does not run .NET"},
    {kOtherUser, "the process belongs to another user"},
    {kStopped, "the process is stopped"},
    {kZombie, "the process has exited (zombie)"},
    {kProcessHidden, "/proc does not provide what is needed about the process"},
    {kDiagnosticsOff, "diagnostics are disabled in the process"},
    {kNoDiagnosticSocket, "the process's diagnostics socket was not found"},
    {kForeignSocket, "the diagnostics socket belongs to another process or user"},
    {kArchitecture, "the profiler is built for another architecture"},
    {kLibc, "the profiler is built for another C library"},
    {kLibraryMissing, "the process cannot find the profiler at its path"},
    {kLibraryNotALibrary, "the profiler is not a shared library"},
    {kLibraryUnreadable, "the process may not read the profiler"},
    {kLibraryUnsafe, "other users could modify the profiler"},
    {kLibraryPath, "the path of the profiler is relative or too long"},
    {kRequestTooLarge, "path and client data are too long for a message"},
    {kAlreadyRecorded, "the process is already being recorded"},
    {kDetaching, "a recorder is currently leaving the process"},
    {kProfilerInEnvironment, "the environment already names a profiler"},
    {kConnectionFailed, "the connection failed or broke"},
    {kSendTimeout, "the process did not answer in time"},
    {kBadAnswer, "the answer cannot be parsed"},
    {kUnknownHresult, "the runtime answered with an unknown HRESULT"},
    {kNotRecorded, "the process is not being recorded"},
    {kRecorderSilent, "the recorder in the process does not answer"},
    {kRecorderRefused, "the recorder refused the request"},
    {kStillClosing, "the recorder was still closing when the timeout expired"},
    {kSnapshotIncomplete, "the heap snapshot was refused or is incomplete"},
    {kLibraryDamaged, "the profiler's file is truncated, or was overwritten while in use"},
    {kUsage, "usage error"},
    {kCannotRun, "launch: the command cannot be run"},
    {kCommandNotFound, "launch: the command does not exist"},
}};

}  // namespace

std::span<const ExitCodeInfo> ExitCodes() { return kExitCodes; }

}  // namespace hindsight::trigger
