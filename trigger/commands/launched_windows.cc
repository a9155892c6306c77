#include <windows.h>

#include "analyzer/cli/wide_text_windows.h"
#include "trigger/commands/launched.h"
#include "trigger/report.h"
#include "trigger/target/handle_windows.h"

namespace hindsight::trigger {
namespace {

// Ctrl-C is left to the command, which receives it as well.
BOOL WINAPI LeaveToCommand(DWORD) { return TRUE; }

// Ending the trigger ends the command, as if they were one process, but not processes that the
// command has started.
UniqueHandle JobThatEndsWithUs() {
  UniqueHandle job = Owned(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  if (job) {
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof(limits));
  }
  return job;
}

}  // namespace

const char kHowLaunched[] =
    "The command runs alongside the trigger, which waits for it: same standard streams, its own "
    "exit "
    "code.";

void SetVariable(const char* name, const std::string& value) {
  SetEnvironmentVariableW(cli::Utf16(name).c_str(),
                          value.empty() ? nullptr : cli::Utf16(value).c_str());
}

TriggerExit RunLaunched(const std::vector<std::string>& command,
                        const std::function<void(int)>& report) {
  std::wstring line = cli::CommandLine(command);
  STARTUPINFOW start{};
  start.cb = sizeof(start);
  PROCESS_INFORMATION made{};
  if (!CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr,
                      nullptr, &start, &made)) {
    const DWORD error = GetLastError();
    const bool is_missing = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
    return Report({is_missing ? TriggerExit::kCommandNotFound : TriggerExit::kCannotRun,
                   "Cannot run " + command[0] + ": " + ErrorText(error) + '.', ""},
                  false);
  }
  const UniqueHandle process(made.hProcess), thread(made.hThread);
  const UniqueHandle job = JobThatEndsWithUs();
  if (job) AssignProcessToJobObject(job.get(), process.get());
  SetConsoleCtrlHandler(LeaveToCommand, TRUE);
  report(static_cast<int>(made.dwProcessId));
  ResumeThread(thread.get());
  WaitForSingleObject(process.get(), INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  return static_cast<TriggerExit>(code);
}

}  // namespace hindsight::trigger
